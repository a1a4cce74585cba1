import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { signedHeaders } from '../../src/foundation/storage/s3-store.ts'

export const BUCKET_KEY = {
  region: 'eu-central-1',
  accessKeyId: 'schoolgate',
  secretAccessKey: 'a secret of the bucket',
}

/** An S3 server with one bucket that checks signature, digest and length. */
export async function aBucketServer() {
  const objects = new Map<string, Buffer>()
  const server = createServer((request, response) => void answer(objects, request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    objects,
    endpoint: `http://127.0.0.1:${port}`,
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function answer(
  objects: Map<string, Buffer>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  const path = request.url ?? ''
  const found = objects.get(path)
  if (!isSigned(request, body)) response.writeHead(403).end()
  else if (request.method === 'HEAD') response.writeHead(path === '/uploads' ? 200 : 404).end()
  else if (request.method === 'PUT' && path.startsWith('/uploads/')) {
    if (request.headers['content-length'] !== String(body.length)) response.writeHead(411).end()
    else response.writeHead(objects.set(path, body) ? 200 : 500).end()
  } else if (request.method === 'DELETE') {
    objects.delete(path)
    response.writeHead(204).end()
  } else if (found === undefined) response.writeHead(404).end('<Error/>')
  else response.writeHead(200).end(found)
}

function isSigned(request: IncomingMessage, body: Buffer): boolean {
  const { authorization = '', 'x-amz-date': time = '', ...headers } = request.headers
  const names = (/SignedHeaders=([^,]+)/.exec(authorization)?.[1] ?? '').split(';')
  const iso = String(time).replace(/^(....)(..)(..)T(..)(..)/, '$1-$2-$3T$4:$5:')
  const expected = signedHeaders(
    {
      method: request.method as 'GET',
      url: new URL(request.url ?? '', `http://${request.headers.host}`),
      headers: Object.fromEntries(
        names
          .filter((name) => !['host', 'x-amz-date', 'x-amz-content-sha256'].includes(name))
          .map((name) => [name, String(headers[name])]),
      ),
      bodyHash: createHash('sha256').update(body).digest('hex'),
    },
    BUCKET_KEY,
    new Date(iso),
  )
  return expected.authorization === authorization
}
