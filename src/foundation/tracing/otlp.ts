import type { AttributeValue, Span, SpanKind } from './span.ts'

const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 }
const FAILED = 2

/**
 * The body of an export: `ExportTraceServiceRequest` as JSON, in which ids are hexadecimal and 64-bit numbers are texts.
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
