import type { Writable } from 'node:stream'
import type { Config } from '../config.ts'
import { type DemoGuide, describeDemoWorld } from '../demo/demo-world.ts'
import { SETUP_CODE_MINUTES, SETUP_CODE_TRIES } from '../domain/setup/first-school.ts'
import { COMMAND, commandText } from '../foundation/text/command-name.ts'
import { VERSION } from '../version.ts'
import type { DatabaseServer } from './open-database.ts'

/** Printed after the start: the addresses, and what to try next. */
export function printBanner(
  out: Writable,
  started: {
    config: Config
    server: DatabaseServer
    isDemo: boolean
    setupCode: string | undefined
  },
): void {
  const { config, server } = started
  const address = `http://${shownHost(config.HOST)}:${config.PORT}`
  const lines = [
    '',
    `  Schoolgate ${VERSION} is ready on ${address}`,
    `  ${server.description}`,
    ...(started.isDemo ? demoLines(describeDemoWorld(config.PORT)) : []),
    ...(started.setupCode === undefined ? [] : setupLines(started.setupCode, address, config)),
    ...(started.isDemo || started.setupCode !== undefined ? [] : schoolLines()),
    '',
  ]
  out.write(`${lines.join('\n')}\n`)
}

function shownHost(host: string): string {
  if (['127.0.0.1', '0.0.0.0', '::', '::1'].includes(host)) return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

function setupLines(code: string, address: string, { NODE_ENV }: Config): string[] {
  return [
    '',
    `  There is no school yet. Open ${address}/setup on this machine, or /setup at the https address of`,
    `  the school, and type this setup code: ${code}`,
    `  It works for ${SETUP_CODE_MINUTES} minutes and ${SETUP_CODE_TRIES} tries, and replaces earlier ones. A new one: ${COMMAND} setup-code`,
    ...(NODE_ENV === 'production'
      ? []
      : [`  To try everything with demo schools instead: ${COMMAND} demo`]),
  ]
}

function schoolLines(): string[] {
  return [
    '',
    `  See the schools with ${commandText('school list')}, add one with \`school create\`.`,
  ]
}

function demoLines(guide: DemoGuide): string[] {
  const width = (texts: readonly string[]): number => Math.max(...texts.map((text) => text.length))
  const origins = width(guide.schools.map((school) => school.origin))
  const emails = width(guide.people.map((person) => person.email))
  const texts = width(guide.next.map((step) => step.text))
  return [
    '',
    '  Schools',
    ...guide.schools.map(
      ({ name, origin, note }) => `    ${origin.padEnd(origins)}  ${name}: ${note}`,
    ),
    '',
    `  People, all with the password ${guide.password}`,
    ...guide.people.map(({ email, roles }) => `    ${email.padEnd(emails)}  ${roles}`),
    '',
    `  Clients, with the redirect URIs ${guide.redirectUris.join(' and ')} on any port`,
    ...guide.schools.map(({ clients }) => `    ${clients.map(clientText).join(', ')}`),
    '',
    '  Next',
    ...guide.next.map(({ text, url }) => `    ${text.padEnd(texts)}  ${url}`),
  ]
}

function clientText(client: DemoGuide['schools'][number]['clients'][number]): string {
  return client.secret === undefined
    ? client.clientId
    : `${client.clientId} (secret ${client.secret})`
}
