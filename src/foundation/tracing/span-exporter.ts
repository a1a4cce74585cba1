import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { AttributeValue, Span, SpanKind } from './tracing.ts'

/** OpenTelemetry's defaults for a batch span processor. */
export const MAX_QUEUE = 2048
export const MAX_BATCH = 512
const PAUSE_MS = 5_000

export interface ExporterSettings {
  readonly url: URL
  /** They may hold a key of the collector. */
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly encode: (spans: readonly Span[]) => string
  readonly onAway: (reason: string) => void
  /** With the number of spans that were dropped so far. */
  readonly onBack: (dropped: number) => void
}

/**
 * Sends ended spans to the collector, in batches and one batch at a time. What the collector does
 * not take is dropped and counted, and so are spans beyond the queue: a trace may be lost, but no
 * request waits and memory does not grow. A collector that is away is asked again at every pause,
 * with one batch.
 */
export class SpanExporter {
  readonly #settings: ExporterSettings
  readonly #agent: HttpAgent
  #queue: Span[] = []
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  #dropped = 0
  #isAway = false

  constructor(settings: ExporterSettings) {
    this.#settings = settings
    const AgentOfScheme = settings.url.protocol === 'https:' ? HttpsAgent : HttpAgent
    this.#agent = new AgentOfScheme({ keepAlive: true, maxSockets: 1 })
  }

  get counts(): { readonly waiting: number; readonly dropped: number } {
    return { waiting: this.#queue.length, dropped: this.#dropped }
  }

  add(span: Span): void {
    if (this.#queue.length >= MAX_QUEUE) {
      this.#dropped++
      return
    }
    this.#queue.push(span)
    if (this.#queue.length >= MAX_BATCH && !this.#isAway) void this.#send()
    else this.#timer ??= setTimeout(() => void this.#send(), PAUSE_MS).unref()
  }

  /** Sends what waits. Gives up when the collector is away, and after `limitMs`. */
  async flush(limitMs: number): Promise<void> {
    const late = new Promise<void>((resolve) => {
      setTimeout(resolve, limitMs).unref()
    })
    await Promise.race([late, this.#send()])
  }

  #send(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sending ??= this.#sendBatches().finally(() => {
      this.#sending = undefined
    })
    return this.#sending
  }

  async #sendBatches(): Promise<void> {
    do {
      const batch = this.#queue.slice(0, MAX_BATCH)
      this.#queue = this.#queue.slice(MAX_BATCH)
      if (batch.length > 0) await this.#sendBatch(batch)
    } while (this.#queue.length > 0 && !this.#isAway)
  }

  async #sendBatch(batch: readonly Span[]): Promise<void> {
    try {
      await this.#post(this.#settings.encode(batch))
      if (this.#isAway) this.#settings.onBack(this.#dropped)
      this.#isAway = false
    } catch (error) {
      this.#dropped += batch.length
      const { message, code } = error as NodeJS.ErrnoException
      if (!this.#isAway) this.#settings.onAway(message || code || 'no answer')
      this.#isAway = true
    }
  }

  #post(body: string): Promise<void> {
    const { url, headers, timeoutMs } = this.#settings
    const call = url.protocol === 'https:' ? requestHttps : requestHttp
    return new Promise((resolve, reject) => {
      const asked = call(url, {
        method: 'POST',
        agent: this.#agent,
        headers: { ...headers, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(timeoutMs),
      })
      asked.on('error', reject)
      asked.on('close', () => reject(new Error('the connection closed before an answer')))
      asked.on('response', (answer) => {
        const { statusCode = 0 } = answer
        if (statusCode < 200 || statusCode > 299) reject(new Error(`it answers ${statusCode}`))
        answer.on('end', resolve).on('error', reject).resume()
      })
      asked.end(body)
    })
  }
}

const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 }
const FAILED = 2

/**
 * The body of an export: `ExportTraceServiceRequest` as JSON, in which ids are hexadecimal and
 * 64-bit numbers are texts.
 *
 * @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export function encodeSpans(
  spans: readonly Span[],
  resource: Readonly<Record<string, string>>,
  version: string,
): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: encodeAttributes(resource) },
        scopeSpans: [{ scope: { name: 'schoolgate', version }, spans: spans.map(encodeSpan) }],
      },
    ],
  })
}

function encodeSpan(span: Span): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentId,
    traceState: span.state,
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: nanoseconds(span.startedAt),
    endTimeUnixNano: nanoseconds(span.endedAt ?? span.startedAt),
    attributes: encodeAttributes(span.attributes),
    links: span.link === undefined ? undefined : [encodeLink(span.link)],
    status: span.failure === undefined ? undefined : { code: FAILED, message: span.failure },
  }
}

function encodeLink({ traceId, spanId }: NonNullable<Span['link']>): object {
  return { traceId, spanId }
}

function encodeAttributes(attributes: Readonly<Record<string, AttributeValue>>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  }))
}

function nanoseconds(milliseconds: number): string {
  return `${Math.floor(milliseconds * 1000)}000`
}
