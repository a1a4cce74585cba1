import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '../config.ts'
import { StartError } from './start-error.ts'

/** A place to listen on, and the variables that set it. */
interface ListeningPlace {
  readonly host: string
  readonly port: number
  readonly names: { readonly host: string; readonly port: string }
}

export function mainPort(config: Config): ListeningPlace {
  return { host: config.HOST, port: config.PORT, names: { host: 'HOST', port: 'PORT' } }
}

/** Checked first: starting the database takes time and is useless if a port is taken. */
export async function checkPortsAreFree(config: Config): Promise<void> {
  await checkIsFree(mainPort(config))
  if (config.METRICS_PORT === undefined) return
  await checkIsFree({
    host: config.METRICS_HOST,
    port: config.METRICS_PORT,
    names: { host: 'METRICS_HOST', port: 'METRICS_PORT' },
  })
}

async function checkIsFree(place: ListeningPlace): Promise<void> {
  const probe = createServer()
  try {
    probe.listen({ host: place.host, port: place.port })
    await once(probe, 'listening')
  } catch (cause) {
    throw whyNotListening(cause as NodeJS.ErrnoException, place)
  } finally {
    probe.close()
  }
}

export function whyNotListening(cause: NodeJS.ErrnoException, place: ListeningPlace): Error {
  const { host, port, names } = place
  if (cause.code === 'EADDRINUSE') {
    return new StartError(
      `Port ${port} is taken: another program already listens on ${host}:${port}.`,
      `Stop it, or choose another port: ${names.port}=${port + 1} npm start`,
      { cause },
    )
  }
  if (cause.code === 'EACCES') {
    return new StartError(
      `Listening on ${host}:${port} is not permitted.`,
      `Choose a ${names.port} above 1023, or let a proxy listen on the low one.`,
      { cause },
    )
  }
  if (cause.code === 'EADDRNOTAVAIL' || cause.code === 'ENOTFOUND') {
    return new StartError(
      `${names.host} is ${host}, which is no address of this machine.`,
      `Set ${names.host} to 0.0.0.0 for every address, or leave it out for loopback.`,
      { cause },
    )
  }
  return cause
}
