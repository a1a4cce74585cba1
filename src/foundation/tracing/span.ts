import { randomSecret } from '../crypto/random.ts'
import type { TraceContext } from './trace-context.ts'

export type SpanKind = 'internal' | 'server' | 'client'

export type AttributeValue = string | number

/** Never a value of a statement, a path, a query, a header, a token, an email address or the name of a person. */
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
export type SpanSink = (span: Span) => void

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
  /** Between the two clocks, once for a request: the clock of the machine may be set while it runs. */
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
