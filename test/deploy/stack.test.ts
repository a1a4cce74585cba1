import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { variables } from '../../src/variables.ts'

interface Service {
  readonly image: string
  readonly environment?: Readonly<Record<string, string>>
  readonly networks: readonly string[]
  readonly volumes: readonly string[]
  readonly ports?: readonly string[]
  readonly depends_on?: object | readonly string[]
}

interface Stack {
  readonly services: Readonly<Record<string, Service>>
  readonly networks: Readonly<Record<string, { internal?: boolean; ipam?: Ipam }>>
  readonly volumes: Readonly<Record<string, object>>
}

interface Ipam {
  readonly config: readonly { readonly subnet: string }[]
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const text = read('compose.yaml')
const stack: Stack = parse(text, { merge: true, strict: true, uniqueKeys: true })
const { services } = stack
const servers = Object.entries(services).filter(([name]) => name.startsWith('server-'))
const caddyfile = read('deploy/Caddyfile')

test('the stack is PostgreSQL, two servers and Caddy, and only Caddy is open to the network', () => {
  expect(Object.keys(services)).toEqual(['postgres', 'server-one', 'server-two', 'caddy'])
  const open = Object.entries(services).filter(([, { ports }]) => ports !== undefined)
  expect(open.map(([name]) => name)).toEqual(['caddy'])
})

test('the servers write only to their volume, have no capability and gain none', () => {
  for (const [name, server] of servers) {
    expect(server, name).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      volumes: ['uploads:/var/lib/schoolgate'],
    })
  }
})

test('PostgreSQL cannot be reached from Caddy or from outside, and reaches nothing', () => {
  expect(services.postgres?.networks).toEqual(['data'])
  expect(stack.networks.data?.internal).toBe(true)
  expect(services.caddy?.networks).not.toContain('data')
})

test('the servers believe forwarded headers of the network on which Caddy is, and of no other', () => {
  const subnets = stack.networks.front?.ipam?.config.map(({ subnet }) => subnet) ?? []
  expect(subnets).toHaveLength(1)
  for (const [, { environment }] of servers) expect(environment?.TRUST_PROXY).toBe(subnets[0])
  expect(services.caddy?.networks).toEqual(['front'])
})

test('every setting of a server is a variable that it knows', () => {
  for (const [, { environment = {} }] of servers) {
    for (const name of Object.keys(environment)) expect(Object.keys(variables)).toContain(name)
  }
})

test('every value that the operator gives has a line in the example, and no secret is in the file', () => {
  const used = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name)
  const explained = [...read('deploy/example.env').matchAll(/^(\w+)=$/gm)].map(([, name]) => name)
  expect(new Set(used)).toEqual(new Set(explained))
  expect(text.match(/(PASSWORD|SECRET): (?!'\$\{)/)).toBeNull()
})

test('networks, volumes and services that are named are defined', () => {
  for (const [name, service] of Object.entries(services)) {
    for (const network of service.networks) expect(stack.networks, name).toHaveProperty(network)
    for (const volume of service.volumes.filter((one) => !one.startsWith('.'))) {
      expect(stack.volumes, name).toHaveProperty(volume.split(':')[0] ?? '')
    }
    const needed = service.depends_on ?? []
    for (const other of Array.isArray(needed) ? needed : Object.keys(needed)) {
      expect(services, name).toHaveProperty(other)
    }
  }
})

test('Caddy asks the server before it gets a certificate, and asks both servers whether they are ready', () => {
  expect(caddyfile).toMatch(/on_demand_tls \{\s+ask http:\/\/127\.0\.0\.1:8081\/tls-allowed\s+\}/)
  expect(caddyfile).toContain('reverse_proxy server-one:3000 server-two:3000')
  expect(caddyfile).toContain('health_uri /readyz')
  expect(caddyfile.split('{').length).toBe(caddyfile.split('}').length)
})

test('Caddy removes the headers that a caller could forge, on every way to a server', () => {
  for (const header of [
    'Forwarded',
    'X-Forwarded-Port',
    'X-Request-Id',
    'Traceparent',
    'Tracestate',
  ]) {
    expect(caddyfile).toMatch(new RegExp(`^\\t+header_up -${header}$`, 'm'))
  }
  expect(caddyfile.match(/reverse_proxy/g)).toHaveLength(1)
})

test('Caddy, where it is installed, accepts the file', () => {
  const { stdout, error } = spawnSync('caddy', ['version'], { encoding: 'utf8' })
  if (error !== undefined) {
    // No Caddy on this machine: then the command itself is missing, and nothing else is wrong.
    expect(error).toMatchObject({ code: 'ENOENT' })
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'schoolgate-caddy-'))
  try {
    const path = join(folder, 'Caddyfile')
    const isOld = /^v?2\.[0-7]\./.test(stdout)
    writeFileSync(path, isOld ? caddyfile.replace(/^\s+health_fails .*\n/m, '') : caddyfile)
    const { status, stderr } = spawnSync(
      'caddy',
      ['validate', '--adapter', 'caddyfile', '--config', path],
      {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: folder, ACME_EMAIL: 'ops@example.com' },
      },
    )
    expect(status, stderr).toBe(0)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
