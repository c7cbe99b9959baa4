// Package buffer holds the bytes that travel through pipelines: pooled, reference-counted, shared without copying.
package buffer
