package pipeline

// ShutdownEvent goes through every pipeline when its server stops. Handlers that have work under way
// finish it, and hold the close that follows (HandleClose) until they have.
type ShutdownEvent struct{}
