export interface ForeignKey {
  readonly table: string
  readonly target: string
}

/** All foreign keys. */
export const FOREIGN_KEYS = `
  select k.conrelid::regclass::text as table, k.confrelid::regclass::text as target
  from pg_constraint k
  where k.connamespace = 'public'::regnamespace and k.contype = 'f' and k.conparentid = 0
  order by 1, 2`

/** Puts each table after the tables that it references, as far as no circle prevents it. */
export function inOrder(names: readonly string[], keys: readonly ForeignKey[]): readonly string[] {
  const placed = new Set<string>()
  let waiting = [...names]
  const isFree = (name: string): boolean =>
    keys.every(
      ({ table, target }) =>
        table !== name || target === name || placed.has(target) || !names.includes(target),
    )
  while (waiting.length > 0) {
    const free = waiting.filter(isFree)
    // In a circle no table is free.
    for (const name of free.length > 0 ? free : waiting.slice(0, 1)) placed.add(name)
    waiting = waiting.filter((name) => !placed.has(name))
  }
  return [...placed]
}
