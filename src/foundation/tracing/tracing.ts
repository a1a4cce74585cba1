import { AsyncLocalStorage } from 'node:async_hooks'
import { LruCache } from '../cache/lru-cache.ts'
import { randomSecret } from '../crypto/random.ts'
import type { StatementObserver } from '../db/named-statements.ts'
import type { TrustProxy } from '../http/client-address.ts'
import { METHODS } from '../http/metrics.ts'
import type { FinishedRequest, ObservedRequest, RequestObserver } from '../http/observe-requests.ts'
import type { OutgoingObserver } from '../net/outgoing.ts'
import {
  parseTraceContext,
  type Sampler,
  type TraceContext,
  traceHeaders,
} from './trace-context.ts'

export type SpanKind = 'internal' | 'server' | 'client'

export type AttributeValue = string | number

/**
 * Never a value of a statement, a path, a query, a header, a token, an email address or the name of
 * a person.
 */
export type Attributes = Record<string, AttributeValue>

type SpanId = Pick<TraceContext, 'traceId' | 'spanId'>

interface SpanBegin {
  readonly kind: SpanKind
  readonly name: string
  readonly parent?: Span | TraceContext | undefined
  /** Another trace that this one has to do with. */
  readonly link?: SpanId | undefined
}

/** What takes a span once it has ended. */
type SpanSink = (span: Span) => void

/** A piece of work of a request that is traced. */
export class Span {
  readonly traceId: string
  readonly spanId = newId(8)
  readonly parentId: string | undefined
  readonly state: string | undefined
  readonly kind: SpanKind
  readonly link: SpanId | undefined
  /** Milliseconds since 1970, with fractions. */
  readonly startedAt: number
  readonly attributes: Attributes = {}
  name: string
  /** The reason why the work failed. */
  failure: string | undefined
  endedAt: number | undefined
  readonly #sink: SpanSink
  /**
   * Between the two clocks, once for a request: the clock of the machine may be set while it runs.
   */
  readonly #offset: number

  constructor({ kind, name, parent, link }: SpanBegin, sink: SpanSink) {
    this.kind = kind
    this.name = name
    this.traceId = parent?.traceId ?? newId(16)
    this.parentId = parent?.spanId
    this.state = parent?.state
    this.link = link
    this.#sink = sink
    this.#offset = parent instanceof Span ? parent.#offset : Date.now() - performance.now()
    this.startedAt = this.#offset + performance.now()
  }

  child(kind: SpanKind, name: string, link?: SpanId): Span {
    return new Span({ kind, name, parent: this, link }, this.#sink)
  }

  end(failure?: string): void {
    if (this.endedAt !== undefined) return
    this.endedAt = this.#offset + performance.now()
    this.failure = failure
    this.#sink(this)
  }
}

function newId(bytes: 8 | 16): string {
  return randomSecret(bytes).toString('hex')
}

/**
 * Runs a call of a tool, if there is one of that name. `meta` is what the caller sent as `_meta`.
 */
export type ToolCallObserver = <R extends { readonly isError?: boolean }>(
  tool: string | undefined,
  meta: unknown,
  run: () => Promise<R>,
) => Promise<R>

/** The parts of the server that it sees. Each takes an observer and knows nothing of traces. */
export interface Tracing {
  readonly requests: RequestObserver
  readonly statements: StatementObserver
  readonly outgoing: OutgoingObserver
  readonly toolCalls: ToolCallObserver
}

export interface TracingSettings {
  readonly trust: TrustProxy
  readonly sampler: Sampler
  readonly sink: SpanSink
}

/**
 * Makes a span of each request that is sampled, and below it of each statement, tool call and
 * outgoing request.
 *
 * The trace of a caller goes on only if a trusted proxy sends it, as with the id of a request. The
 * trace of any other caller is a link: a stranger may neither have every request sampled nor add
 * spans to a trace of another caller.
 */
export function createTracing({ trust, sampler, sink }: TracingSettings): Tracing {
  const current = new AsyncLocalStorage<Span>()
  const spans = new WeakMap<ObservedRequest, Span>()
  /** Work that goes on after its request is no longer traced: some of it never ends. */
  const parent = (): Span | undefined => {
    const span = current.getStore()
    return span?.endedAt === undefined ? span : undefined
  }

  const begin = ({ raw }: ObservedRequest): Span | undefined => {
    const { traceparent, tracestate } = raw.headers
    const sent = parseTraceContext(traceparent, tracestate)
    const isTrusted = sent !== undefined && trust.trusts(raw.socket.remoteAddress)
    const above: TraceContext | undefined = isTrusted ? sent : undefined
    if (!sampler(above)) return undefined
    return new Span(
      { kind: 'server', name: '', parent: above, link: isTrusted ? undefined : sent },
      sink,
    )
  }

  return {
    requests: {
      started(request) {
        const span = begin(request)
        if (span !== undefined) spans.set(request, span)
      },
      within(request, next) {
        const span = spans.get(request)
        if (span === undefined) next()
        else current.run(span, next)
      },
      finished(finished, request) {
        const span = spans.get(request)
        if (span !== undefined) endRequest(span, finished, request)
      },
    },

    statements(text, _values, answer) {
      const above = parent()
      if (above === undefined) return
      const name = summarizeStatement(text)
      const span = above.child('client', name)
      span.attributes['db.system.name'] = 'postgresql'
      span.attributes['db.query.summary'] = name
      answer.then(
        () => span.end(),
        (error) => span.end(codeOf(error)),
      )
    },

    outgoing({ method, url, isOurs }) {
      const span = parent()?.child('client', method)
      if (span === undefined) return undefined
      span.attributes['http.request.method'] = method
      span.attributes['server.address'] = url.hostname
      return { headers: isOurs ? traceHeaders(span) : {}, ended: (failure) => span.end(failure) }
    },

    async toolCalls(tool, meta, run) {
      const { traceparent, tracestate } = Object(meta)
      const sent = parseTraceContext(traceparent, tracestate)
      const span = parent()?.child(
        'internal',
        tool === undefined ? 'tools/call' : `tools/call ${tool}`,
        sent,
      )
      if (span === undefined) return await run()
      span.attributes['mcp.method.name'] = 'tools/call'
      if (tool !== undefined) span.attributes['gen_ai.tool.name'] = tool
      try {
        const result = await current.run(span, run)
        span.end(result.isError ? 'tool_error' : undefined)
        return result
      } catch (error) {
        span.end(codeOf(error))
        throw error
      }
    },
  }
}

function endRequest(span: Span, finished: FinishedRequest, { id }: ObservedRequest): void {
  const { route, status, outcome, aborted } = finished
  const method = METHODS.has(finished.method) ? finished.method : '_OTHER'
  span.name = route === undefined ? method : `${method} ${route}`
  const { attributes } = span
  attributes['http.request.method'] = method
  if (route !== undefined) attributes['http.route'] = route
  if (!aborted) attributes['http.response.status_code'] = status
  attributes['schoolgate.request_id'] = id
  if (outcome.surface !== undefined) attributes['schoolgate.surface'] = outcome.surface
  if (outcome.school !== undefined) attributes['schoolgate.school'] = outcome.school
  const result = aborted ? 'aborted' : outcome.result
  if (result !== undefined) attributes['schoolgate.result'] = result
  span.end(status >= 500 ? String(status) : undefined)
}

/** The message of an error may hold what was sent; its code does not. */
function codeOf(error: unknown): string {
  const { code, name } = Object(error)
  return typeof code === 'string' && code !== '' ? code : String(name)
}

/**
 * Characters of all texts that are remembered: callers can make up texts, by what they change and
 * filter by.
 */
const MAX_KNOWN = 2_000_000
const MAX_TABLES = 3
const MAX_READ = 4_000

const VERB = /\b(insert|update|delete|merge)\b/
const FIRST_WORD = /^\s*([a-z]+)/
const TABLE = /\b(?:from|into|update|join)\s+"?([a-z_]{1,63})\b/g
/** Stands after the name of a part, in `with found as (…)`. */
const PART = / as (?:materialized )?\(/

const known = new LruCache<string>(MAX_KNOWN)

/**
 * The verb of a statement and its first tables, such as `select courses, lectures`. It holds no
 * value.
 */
export function summarizeStatement(text: string): string {
  const found = known.get(text)
  if (found !== undefined) return found
  const summary = summarize(text.slice(0, MAX_READ))
  known.set(text, summary, text.length)
  return summary
}

function summarize(text: string): string {
  const first = FIRST_WORD.exec(text)?.[1] ?? 'statement'
  const verb = first === 'with' ? (VERB.exec(text)?.[1] ?? 'select') : first
  const parts = new Set(
    text.split(PART).map((before) =>
      before
        .slice(-64)
        .split(/[\s,(]/)
        .at(-1),
    ),
  )
  const tables = [...text.matchAll(TABLE)].flatMap(([, name]) =>
    name === undefined || parts.has(name) ? [] : name,
  )
  return [verb, [...new Set(tables)].slice(0, MAX_TABLES).join(', ')].join(' ').trimEnd()
}
