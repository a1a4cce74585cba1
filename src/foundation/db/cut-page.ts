/** The rows of a page, of a statement that asked for one row more; `last` is the last of them, if others follow. */
export function cutPage<R>(
  rows: readonly R[],
  limit: number,
): { readonly shown: R[]; readonly last: R | undefined } {
  const shown = rows.slice(0, limit)
  return { shown, last: rows.length > limit ? shown.at(-1) : undefined }
}
