type Members = Readonly<Record<string, unknown>>

/** What changed in an object, for the audit log. */
export interface ChangedMembers {
  /** The value before and the value after, by the name of the member. */
  readonly changed?: Readonly<Record<string, readonly [unknown, unknown]>>
  /** Members whose values are not kept. */
  readonly also_changed?: readonly string[]
  /** Of the amounts among them. */
  readonly currency?: string
}

/** Members that follow from others. */
const DERIVED = /^(object|version|updated_at)$|_count$/

/** Texts that name a thing. Other texts may name people, whom the log must not remember after they left. */
const NAMING =
  /^(title|slug|code|state|kind|currency|interval|refunding_state|roles)$|_(at|on|color)$/

/** The members that an object is called by. */
export const NAMES = ['title', 'code'] as const

const LONGEST_KEPT = 200

/** What an object was called, for the entry of its removal. */
export function nameForAudit(object: Members): string | undefined {
  const name = NAMES.map((member) => object[member]).find((value) => typeof value === 'string')
  return typeof name === 'string' ? name.slice(0, LONGEST_KEPT) : undefined
}

/** `alsoKept` are names of texts, and of lists of texts, that say nothing about people at this kind of object. */
export function whatChanged(
  before: Members,
  after: Members,
  alsoKept: readonly string[] = [],
): ChangedMembers {
  const isKept = (name: string, value: unknown): boolean => {
    if (typeof value !== 'string' && !Array.isArray(value)) return isPlain(value)
    if (!NAMING.test(name) && !alsoKept.includes(name)) return false
    const texts = [value].flat()
    return texts.every((text) => typeof text === 'string') && texts.join().length <= LONGEST_KEPT
  }
  const names = Object.keys(after).filter(
    (name) => !DERIVED.test(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  const kept = names.filter((name) => isKept(name, before[name]) && isKept(name, after[name]))
  const others = names.filter((name) => !kept.includes(name))
  const isMoney =
    kept.some((name) => name.endsWith('_amount')) && typeof after.currency === 'string'
  return {
    ...(kept.length > 0 && {
      changed: Object.fromEntries(
        kept.map((name) => [name, [before[name] ?? null, after[name] ?? null] as const]),
      ),
    }),
    ...(others.length > 0 && { also_changed: others }),
    ...(isMoney && { currency: after.currency as string }),
  }
}

function isPlain(value: unknown): boolean {
  return value === null || value === undefined || ['number', 'boolean'].includes(typeof value)
}
