/** Runs `read` at the first call and returns the same result at every later call. */
export function once<T>(read: () => T): () => T {
  let result: { readonly value: T } | undefined
  return () => {
    result ??= { value: read() }
    return result.value
  }
}
