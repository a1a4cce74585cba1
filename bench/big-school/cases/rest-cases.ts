import { isListOperation } from '../../../src/domain/operation/list-operation.ts'
import { ROUTES } from '../../../src/surfaces/admin-api/routes.ts'
import type { Asking } from '../asking.ts'
import type { BothCallers, Callers } from '../callers.ts'
import type { Case } from '../case.ts'
import { filledPath, findSamples, type Samples, valuesOf } from '../samples.ts'

const PAGE_FIELDS = ['limit', 'after', 'sort', 'include_total', 'expand']

/** Every GET of the REST API: objects, lists with each filter, sort and search, figures. */
export async function restCases(asking: Asking, callers: BothCallers): Promise<readonly Case[]> {
  const samples = {
    big: await findSamples(asking, callers.big),
    small: await findSamples(asking, callers.small),
  }
  const samplesOf = ({ school }: Callers): Samples => samples[school.name]
  const cases: Case[] = []
  const add = (
    group: string,
    path: string,
    own: string | undefined,
    query: (samples: Samples) => string | undefined,
  ) => {
    const shown = query(samples.small)
    if (shown === undefined) return
    cases.push({
      group,
      name: `GET ${path}${shown.replaceAll(/=[0-9a-f-]{36}/g, '=…').replaceAll(/=\d{4}-\d\d-\d\dT[^&]*/g, '=…')}`,
      ask(at) {
        const filled = filledPath(path, samplesOf(at), own)
        const asked = query(samplesOf(at))
        if (filled === undefined || asked === undefined) return undefined
        return { path: `/api/v1${filled}${asked}`, headers: at.operator }
      },
    })
  }
  for (const { method, path, operation } of ROUTES) {
    if (method !== 'GET') continue
    const own = ownKind(path, samples.small)
    const { shape } = operation.input
    if (operation.name.startsWith('analytics.') && 'interval' in shape) {
      for (const [interval, days] of [
        ['day', 30],
        ['week', 84],
        ['month', 365],
      ] as const) {
        add('Analytics', path, undefined, () => `?${periodOf(days)}&interval=${interval}`)
      }
      continue
    }
    const group = operation.name.startsWith('analytics.') ? 'Analytics' : 'REST API'
    add(group, path, own, () => '')
    if (!isListOperation(operation)) continue
    add(group, path, own, () => '?include_total=true')
    const sorts = (shape.sort as { def: { innerType: { options: readonly string[] } } }).def
      .innerType.options
    for (const sort of sorts) add(group, path, own, () => `?sort=${sort}`)
    for (const [name, schema] of Object.entries(shape)) {
      if (PAGE_FIELDS.includes(name) || path.includes(`{${name}}`)) continue
      const count = valuesOf(
        name,
        schema as never,
        samples.small,
        samples.small.get(own ?? ''),
      ).length
      for (let n = 0; n < count; n++) {
        add(group, path, own, (known) => {
          const value = valuesOf(name, schema as never, known, known.get(own ?? ''))[n]
          return value === undefined ? undefined : `?${name}=${encodeURIComponent(value)}`
        })
      }
    }
  }
  return cases
}

/** The kind of the objects at a path: `/courses/{id}` has courses. */
function ownKind(path: string, samples: Samples): string | undefined {
  const words = path.split('/').filter((part) => part !== '' && !part.startsWith('{'))
  const last = (words.at(-1) ?? '').replaceAll('-', '_')
  const first = (words[0] ?? '').replaceAll('-', '_')
  const kinds = [...samples.keys()]
  const matching = (word: string) =>
    kinds.find((kind) => word.startsWith(kind) || word.endsWith(`${kind}s`))
  return path.endsWith('{id}') || !path.includes('{') ? matching(last) : matching(first)
}

function periodOf(days: number): string {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  return `from=${day(days - 1)}&to=${day(0)}`
}
