/**
 * The fields of a form that differ from what the form showed. A form sends every field, but only some changes need a
 * recent proof, and the audit log names only what was changed.
 */
export function changesIn<T extends object>(typed: T, shown: { readonly [K in keyof T]: unknown }) {
  const before = new Map(Object.entries(shown))
  const changed = Object.entries(typed).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before.get(name)),
  )
  return Object.fromEntries(changed) as Partial<T>
}
