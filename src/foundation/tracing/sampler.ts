import { randomSecret } from '../crypto/random.ts'
import type { TraceContext } from './trace-context.ts'

export type SamplerName = `${'' | 'parentbased_'}${'always_on' | 'always_off' | 'traceidratio'}`

/** Decides whether a request is traced. `parent` is of a trusted proxy. */
export type Sampler = (parent: TraceContext | undefined) => boolean

/**
 * The samplers of OpenTelemetry, with one difference: the ratio is drawn and not computed from the trace id, because a
 * caller may have chosen the id.
 */
export function createSampler(name: SamplerName, ratio: number): Sampler {
  const share = name.endsWith('_on') ? 1 : name.endsWith('_off') ? 0 : ratio
  const draw = (): boolean => share === 1 || (share > 0 && randomFraction() < share)
  if (!name.startsWith('parentbased_')) return draw
  return (parent) => parent?.isSampled ?? draw()
}

function randomFraction(): number {
  return randomSecret(4).readUInt32BE() / 2 ** 32
}
