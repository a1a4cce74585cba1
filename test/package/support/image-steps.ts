import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { type Instruction, instructionsOf } from '../../deploy/support/dockerfile.ts'
import { copyTracked, type Installed, measured, ROOT } from './install.ts'
import { expectServes } from './serve.ts'

interface Image {
  /** The folder that stands for the root of the file system of the image. */
  readonly root: string
  readonly workdir: string
  readonly env: Readonly<Record<string, string>>
  readonly command: readonly string[]
  readonly health: readonly string[]
  readonly packages: Installed
}

interface Stage {
  readonly root: string
  workdir: string
  readonly env: Record<string, string>
}

/** Owners mean nothing in a plain folder, and the others only describe the image. */
const SKIPPED = new Set(['EXPOSE', 'FROM', 'LABEL', 'STOPSIGNAL', 'USER', 'VOLUME'])

/** Follows the Dockerfile without a container: each stage is a folder, each RUN a command in it. */
export async function buildImage(place: string): Promise<Image> {
  const context = join(place, 'context')
  mkdirSync(context)
  await copyTracked(context)
  const admitted = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n')
  for (const name of readdirSync(context)) {
    if (!admitted.includes(`!${name}`)) rmSync(join(context, name), { recursive: true })
  }
  const stages = new Map<string, Stage>()
  const exec: Record<string, readonly string[]> = {}
  let last: Stage | undefined
  for (const instructions of instructionsOf(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))) {
    const name = / AS (\w+)$/.exec(instructions[0]?.value ?? '')?.[1] ?? 'last'
    last = { root: join(place, `stage-${name}`), workdir: '/', env: {} }
    mkdirSync(last.root)
    stages.set(name, last)
    for (const step of instructions) await follow(step, last, { context, stages, exec })
  }
  if (last === undefined) throw new Error('the Dockerfile has no stage')
  return {
    root: last.root,
    workdir: last.workdir,
    env: last.env,
    command: [...(exec.ENTRYPOINT ?? []), ...(exec.CMD ?? [])],
    health: exec.HEALTHCHECK ?? [],
    packages: measured(join(last.root, last.workdir)),
  }
}

async function follow(
  { instruction, value }: Instruction,
  stage: Stage,
  known: {
    readonly context: string
    readonly stages: ReadonlyMap<string, Stage>
    readonly exec: Record<string, readonly string[]>
  },
): Promise<void> {
  if (SKIPPED.has(instruction)) return
  const inside = (path: string): string =>
    join(stage.root, isAbsolute(path) ? path : join(stage.workdir, path))
  if (instruction === 'WORKDIR') {
    stage.workdir = value
    mkdirSync(inside('.'), { recursive: true })
  } else if (instruction === 'ENV') {
    for (const [, name = '', quoted, text = ''] of value.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/g)) {
      stage.env[name] = quoted ?? text
    }
  } else if (instruction === 'COPY') {
    const from = /^--from=(\w+) /.exec(value)
    const base = from === null ? known.context : known.stages.get(from[1] ?? '')?.root
    if (base === undefined) throw new Error(`no stage for ${value}`)
    const paths = value.slice(from?.[0].length ?? 0).split(' ')
    const target = paths.pop() ?? ''
    for (const path of paths) {
      const isInto = target === './' && path !== '.'
      const options = { recursive: true, verbatimSymlinks: true }
      cpSync(join(base, path), inside(isInto ? join(target, path) : target), options)
    }
  } else if (instruction === 'RUN') {
    if (value.startsWith('chown ')) return
    // Behind a proxy that opens TLS, npm needs the authority of that proxy.
    const { PATH, HOME, NODE_EXTRA_CA_CERTS } = process.env
    const env = { PATH, HOME, NODE_EXTRA_CA_CERTS, ...stage.env }
    await promisify(execFile)('sh', ['-c', value], { cwd: inside('.'), env, maxBuffer: 2 ** 26 })
  } else if (['CMD', 'ENTRYPOINT', 'HEALTHCHECK'].includes(instruction)) {
    known.exec[instruction] = JSON.parse(value.slice(value.indexOf('[')))
  } else {
    throw new Error(`what does ${instruction} do?`)
  }
}

/**
 * Starts what the image would start, with its environment, and asks for its health as Docker does.
 */
export async function serveImage(image: Image, given: Record<string, string>): Promise<void> {
  const folder = join(image.root, image.workdir)
  const data = join(image.root, image.env.SCHOOLGATE_DATA_DIR ?? '')
  const env = { ...image.env, HOST: '127.0.0.1', ...given, SCHOOLGATE_DATA_DIR: data }
  await expectServes(folder, env, image.command, async (port) => {
    const [command = '', ...args] = image.health
    const asked = { PATH: process.env.PATH, ...env, PORT: String(port) }
    await promisify(execFile)(command, args, { cwd: folder, env: asked })
  })
}
