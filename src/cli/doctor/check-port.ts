import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:net'
import { z } from 'zod'
import type { Config } from '../../config.ts'
import { errorCode } from '../../foundation/db/embedded/embedded-postgres-error.ts'
import { broken, type Finding, fine } from './finding.ts'

const CHECK = 'port'
const TIMEOUT_MS = 3000
const MAX_ANSWER = 64 * 1024

const readiness = z.object({
  status: z.enum(['ready', 'not ready']),
  checks: z.array(z.object({ name: z.string(), problem: z.string().optional() })),
})

/** Whether the port is free, or our server answers there and is ready. */
export async function checkPort(config: Config): Promise<Finding> {
  const { HOST: host, PORT: port } = config
  const place = `${host}:${port}`
  let answer: string
  try {
    answer = await askReadiness(reachable(host), port)
  } catch (error) {
    if (errorCode(error) === 'ECONNREFUSED') return await tryListening(host, port)
    return taken(place)
  }
  const ours = readiness.safeParse(parseJson(answer))
  if (!ours.success) return taken(place)
  if (ours.data.status === 'ready') return fine(CHECK, `A server answers on ${place} and is ready.`)
  const problems = ours.data.checks.flatMap(({ name, problem }) =>
    problem === undefined ? [] : [`${name}: ${problem}`],
  )
  return broken(
    CHECK,
    `A server answers on ${place} and is not ready. ${problems.join(' ')}`,
    'correct what it names; its log has the details',
  )
}

function taken(place: string): Finding {
  return broken(
    CHECK,
    `Another program listens on ${place}.`,
    'end it, or set PORT to another number',
  )
}

async function tryListening(host: string, port: number): Promise<Finding> {
  const server = createServer()
  try {
    server.listen({ host, port, exclusive: true })
    await once(server, 'listening')
    return fine(CHECK, `${host}:${port} is free.`)
  } catch (error) {
    const denied = errorCode(error) === 'EACCES'
    return broken(
      CHECK,
      denied
        ? `This user may not listen on ${host}:${port}.`
        : `Nothing can listen on ${host}:${port}: ${(error as Error).message}`,
      denied
        ? 'set PORT to a number above 1023 and let a proxy listen on the low one'
        : 'set HOST to an address that this machine has, or to 0.0.0.0 for all of them',
    )
  } finally {
    server.close()
  }
}

/** A server can listen on a wildcard address, but a client cannot connect to it. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}

async function askReadiness(host: string, port: number): Promise<string> {
  const asked = request({ host, port, path: '/readyz', timeout: TIMEOUT_MS, agent: false })
  asked.on('timeout', () => asked.destroy(new Error('no answer')))
  asked.end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  response.setEncoding('utf8')
  let text = ''
  for await (const chunk of response) {
    text += chunk
    if (text.length > MAX_ANSWER) break
  }
  return text
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
