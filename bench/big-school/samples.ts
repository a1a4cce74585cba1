import { z } from 'zod'
import { isListOperation } from '../../src/domain/operation/list-operation.ts'
import { ROUTES } from '../../src/surfaces/admin-api/routes.ts'
import type { Asking } from './asking.ts'
import type { Callers } from './callers.ts'

export type Sample = Readonly<Record<string, unknown>>

/** One object of each kind that the REST API lists at a school, by its kind. */
export type Samples = ReadonlyMap<string, Sample>

const ROUNDS = 3

/** Lists below an object are asked once an object above is known. */
export async function findSamples(asking: Asking, { operator }: Callers): Promise<Samples> {
  const found = new Map<string, Sample>()
  const lists = ROUTES.filter(({ operation }) => isListOperation(operation))
  for (let round = 0; round < ROUNDS; round++) {
    for (const { path, operation } of lists) {
      const kind = kindOf(operation.output)
      const filled = filledPath(path, found)
      if (kind === undefined || found.has(kind) || filled === undefined) continue
      const page = await asking.json({ path: `/api/v1${filled}?limit=1`, headers: operator })
      const [first] = (page?.data ?? []) as Sample[]
      if (first !== undefined) found.set(kind, first)
    }
  }
  return found
}

/** The `object` of the rows of a list. */
function kindOf(output: z.ZodObject): string | undefined {
  const rows = output.shape.data
  const row = rows instanceof z.ZodArray ? (rows.element as z.ZodObject) : undefined
  const object = row?.shape.object
  return object instanceof z.ZodLiteral ? String(object.value) : undefined
}

/** `course_id` is the id of a course; `id` alone is that of the object that the path lists. */
export function idFor(name: string, samples: Samples): string | undefined {
  const kind = name
    .replace(/_id$/, '')
    .replace('enrolled_in', 'course')
    .replace('ever_course', 'course')
  const match = [...samples].find(([known]) => known === kind || known.endsWith(`_${kind}`))
  return match === undefined ? undefined : String(match[1].id)
}

/** The path with ids in it; undefined while an object is not known. */
export function filledPath(path: string, samples: Samples, own?: string): string | undefined {
  let isWhole = true
  const filled = path.replace(/\{([a-z_]+)\}/g, (_, name: string) => {
    const id =
      name === 'id' && own !== undefined ? String(samples.get(own)?.id ?? '') : idFor(name, samples)
    if (id === undefined || id === '') isWhole = false
    return id ?? ''
  })
  return isWhole ? filled : undefined
}

interface Described {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly const?: string
  readonly items?: Described
}

/** Words of a search: frequent, rare, in other letters, short, and in no row. */
export const WORDS = ['Greta', 'Quillfeather', '山田', 'an', 'zzqqxx']

/** Values to ask a filter for; empty if none can be guessed. */
export function valuesOf(
  name: string,
  schema: z.ZodType,
  samples: Samples,
  own?: Sample,
): readonly string[] {
  if (name === 'search') return WORDS
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Described
  const { type, format, enum: values } = described.items ?? described
  if (values !== undefined) return values
  if (type === 'boolean') return ['true', 'false']
  if (format === 'date-time') return [MIDDLE]
  const same = own?.[name]
  if (typeof same === 'string' || typeof same === 'number') return [String(same)]
  const id = idFor(name, samples)
  return id === undefined ? [] : [id]
}

const YEAR_MS = 365 * 86_400_000
/** Half of the rows are before it. */
const MIDDLE = new Date(Date.now() - YEAR_MS).toISOString()
