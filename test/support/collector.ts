import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { whenFileIsDone } from './clean-up.ts'

export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly traceState?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly Attribute[]
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly status?: { readonly code: number; readonly message?: string }
}

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: string }
}

interface Export {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/**
 * A collector of OpenTelemetry that takes OTLP over HTTP. `silent` reads and never answers; a
 * number is its status.
 */
export async function aCollector(manner: number | 'silent' = 200) {
  const exports: Export[] = []
  const state = { manner }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    exports.push({ path: request.url ?? '', headers: request.headers, text })
    if (state.manner !== 'silent') response.writeHead(state.manner).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  whenFileIsDone(async () => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${port}`,
    exports,
    set manner(next: number | 'silent') {
      state.manner = next
    },
    get spans(): readonly ReceivedSpan[] {
      return exports.flatMap(({ text }) =>
        JSON.parse(text).resourceSpans.flatMap(
          (resource: { scopeSpans: { spans: ReceivedSpan[] }[] }) =>
            resource.scopeSpans.flatMap(({ spans }) => spans),
        ),
      )
    },
  }
}

export function attributesOf(span: { readonly attributes: readonly Attribute[] } | undefined) {
  return Object.fromEntries(
    (span?.attributes ?? []).map(({ key, value }) => [
      key,
      value.stringValue ?? Number(value.intValue),
    ]),
  )
}
