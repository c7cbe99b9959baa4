package pipeline

// ShutdownEvent goes through every pipeline, as a value, when its server stops. Handlers that have work under way
// finish it, and hold the close that follows (HandleClose) until they have.
type ShutdownEvent struct{}
