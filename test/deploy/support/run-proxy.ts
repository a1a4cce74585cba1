import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import { find } from '../../outages/machine/needs.ts'
import { whenFileIsDone } from '../../support/clean-up.ts'
import { eventually } from '../../support/eventually.ts'

const fixture = (name: string) =>
  fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url))
/** The certificate of the tests is for this name. */
export const NAME = 'client.example'

export interface Ports {
  readonly app: number
  readonly tls: number
  readonly plain: number
}

export interface ProxyProgram {
  readonly program: string
  /** The text of the guide for this machine: other ports, names and files. */
  readonly local: (text: string, ports: Ports, folder: string) => string
  readonly command: (file: string, folder: string) => readonly string[]
}

export const CADDY: ProxyProgram = {
  program: 'caddy',
  local: (text, { app, tls, plain }, folder) => {
    const global = `\tadmin off\n\tskip_install_trust\n\thttp_port ${plain}\n\thttps_port ${tls}\n\tstorage file_system ${folder}/data\n`
    const site = replaced(text, ['127.0.0.1:3000', `127.0.0.1:${app}`])
    return site.startsWith('{\n')
      ? `{\n${global}${replaced(site.slice(2), ['\ttls {\n', '\ttls internal {\n'])}`
      : `{\n${global}}\n${replaced(site, ['academy.example, college.example {', `${NAME} {\n\ttls ${fixture('test-server.pem')} ${fixture('test-server.key.pem')}`])}`
  },
  command: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
}

export const NGINX: ProxyProgram = {
  program: 'nginx',
  local: (text, { app, tls, plain }, folder) => {
    const places = ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name === 'body' ? 'client_body' : name}_temp_path ${folder}/${name};`)
      .join('\n')
    const site = replaced(
      text,
      ['server 127.0.0.1:3000', `server 127.0.0.1:${app}`],
      ['listen 80', `listen 127.0.0.1:${plain}`],
      ['listen 443', `listen 127.0.0.1:${tls}`],
      ['server_name academy.example', `server_name ${NAME}`],
      ['/etc/letsencrypt/live/academy.example/fullchain.pem', fixture('test-server.pem')],
      ['/etc/letsencrypt/live/academy.example/privkey.pem', fixture('test-server.key.pem')],
    )
    return `daemon off;\nmaster_process off;\npid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${places}\n${site}}\n`
  },
  command: (file, folder) => ['-p', folder, '-c', file, '-e', join(folder, 'error.log')],
}

export const HAPROXY: ProxyProgram = {
  program: 'haproxy',
  local: (text, { app, tls, plain }, folder) => {
    const certificates = join(folder, 'certs')
    mkdirSync(certificates)
    const both = ['test-server.pem', 'test-server.key.pem'].map((name) =>
      readFileSync(fixture(name), 'utf8'),
    )
    writeFileSync(join(certificates, 'all.pem'), both.join(''))
    return replaced(
      text,
      ['bind :80', `bind 127.0.0.1:${plain}`],
      ['bind :443', `bind 127.0.0.1:${tls}`],
      ['/etc/haproxy/certs', certificates],
      ['10.0.0.11:3000', `127.0.0.1:${app}`],
      ['10.0.0.12:3000', `127.0.0.1:${app}`],
    )
  },
  command: (file) => ['-db', '-f', file],
}

function replaced(text: string, ...changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((now, [from, to]) => {
    if (!now.includes(from)) throw new Error(`the guide has no "${from}" any more`)
    return now.replaceAll(from, to)
  }, text)
}

/** Starts the proxy with the text of the guide. False where it is not installed. */
export async function startProxy(
  proxy: ProxyProgram,
  text: string,
  ports: Ports,
): Promise<boolean> {
  const program = find(proxy.program)
  if (program === undefined) return false
  const folder = mkdtempSync(join(tmpdir(), `schoolgate-${proxy.program}-`))
  chmodSync(folder, 0o755)
  whenFileIsDone(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'settings')
  writeFileSync(file, proxy.local(text, ports, folder))
  const running = spawn(program, [...proxy.command(file, folder)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [running.stdout, running.stderr])
    stream.on('data', (part) => {
      said += part
    })
  whenFileIsDone(async () => {
    if (running.exitCode !== null) return
    running.kill('SIGKILL')
    await once(running, 'exit')
  })
  await vi.waitFor(async () => {
    if (!(await accepts(ports.tls))) throw new Error(`it does not listen: ${said}`)
  }, eventually)
  return true
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', servername: NAME, rejectUnauthorized: false })
    socket.once('secureConnect', () => socket.end(() => resolve(true)))
    socket.once('error', () => resolve(false))
  })
}
