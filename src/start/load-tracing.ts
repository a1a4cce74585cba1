import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Tracing } from '../foundation/tracing/tracing.ts'
import { VERSION } from '../version.ts'

export interface LoadedTracing extends Tracing {
  /** Sends what waits. */
  flush(limitMs?: number): Promise<void>
}

/** How long a collector that does not answer delays the end of the process. */
const LAST_EXPORT_MS = 2_000

/** Undefined unless the environment names a collector; then no module of it is loaded. */
export async function loadTracing(config: Config, log: Logger): Promise<LoadedTracing | undefined> {
  const url = collectorOf(config)
  if (url === undefined) return undefined
  const [{ createTracing }, { createSampler }, { SpanExporter }, { encodeSpans }] =
    await Promise.all([
      import('../foundation/tracing/tracing.ts'),
      import('../foundation/tracing/trace-context.ts'),
      import('../foundation/tracing/span-exporter.ts'),
      import('../foundation/tracing/span-exporter.ts'),
    ])
  const resource = {
    ...config.OTEL_RESOURCE_ATTRIBUTES,
    'service.name': config.OTEL_SERVICE_NAME,
    'service.version': VERSION,
    'process.pid': String(process.pid),
  }
  const exporter = new SpanExporter({
    url,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    timeoutMs: config.OTEL_EXPORTER_OTLP_TIMEOUT,
    encode: (spans) => encodeSpans(spans, resource, VERSION),
    onAway: (reason) =>
      log.warn({ collector: url.origin, reason }, 'traces are dropped: the collector is away'),
    onBack: (dropped) => log.info({ collector: url.origin, dropped }, 'the collector is back'),
  })
  const tracing = createTracing({
    trust: config.TRUST_PROXY,
    sampler: createSampler(config.OTEL_TRACES_SAMPLER, config.OTEL_TRACES_SAMPLER_ARG),
    sink: (span) => exporter.add(span),
  })
  return { ...tracing, flush: (limitMs = LAST_EXPORT_MS) => exporter.flush(limitMs) }
}

function collectorOf(config: Config): URL | undefined {
  if (config.OTEL_SDK_DISABLED === 'true') return undefined
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: complete, OTEL_EXPORTER_OTLP_ENDPOINT: base } = config
  if (complete !== undefined) return new URL(complete)
  return base === undefined ? undefined : new URL(`${base.replace(/\/$/, '')}/v1/traces`)
}
