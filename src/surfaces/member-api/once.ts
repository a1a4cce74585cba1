/** Runs `read` when first asked, and never again: what nobody selects is not read. */
export function once<T>(read: () => T): () => T {
  let result: { readonly value: T } | undefined
  return () => {
    result ??= { value: read() }
    return result.value
  }
}
