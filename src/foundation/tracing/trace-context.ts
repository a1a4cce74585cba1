import { randomSecret } from '../crypto/random.ts'

/** A span of another program, as W3C Trace Context names it. */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
  /** What other vendors keep in the trace; passed on as it came. */
  readonly state: string | undefined
}

const TRACEPARENT =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-[!-~]{0,200})?$/
const TRACESTATE = /^[ -~]{1,512}$/
const SAMPLED = 0x01

/**
 * Reads the two headers, or the two members of the same names in `_meta` of a tool call. A
 * malformed `traceparent` counts as absent, and so does a `tracestate` that is malformed or longer
 * than 512 characters.
 *
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */
export function parseTraceContext(
  traceparent: unknown,
  tracestate: unknown,
): TraceContext | undefined {
  if (typeof traceparent !== 'string') return undefined
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(traceparent) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  // Only a later version may have more fields.
  if (version === '00' && more !== undefined) return undefined
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED
  const isStateKept = typeof tracestate === 'string' && TRACESTATE.test(tracestate)
  return { traceId, spanId, isSampled, state: isStateKept ? tracestate : undefined }
}

/** The headers that make a span of ours the parent of what another program does. */
export function traceHeaders(
  span: Omit<TraceContext, 'isSampled'>,
): Readonly<Record<string, string>> {
  const traceparent = `00-${span.traceId}-${span.spanId}-01`
  return span.state === undefined ? { traceparent } : { traceparent, tracestate: span.state }
}

export type SamplerName = `${'' | 'parentbased_'}${'always_on' | 'always_off' | 'traceidratio'}`

/** Decides whether a request is traced. `parent` is of a trusted proxy. */
export type Sampler = (parent: TraceContext | undefined) => boolean

/**
 * The samplers of OpenTelemetry, with one difference: the ratio is drawn and not computed from the
 * trace id, because a caller may have chosen the id.
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
