import { Readable, Writable } from 'node:stream'
import type pg from 'pg'
import { runCommandLine } from '../../../src/cli/command-line.ts'

export const SECRET = 'a secret for the command line, long enough to be one'

export interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** The `--json` output: stdout, or stderr for an error. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what its command answers
  readonly json: any
}

class Collected extends Writable {
  text = ''

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

/** Runs one command in this process, like `npx schoolgate …`. */
export async function run(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  input = '',
): Promise<Run> {
  const [stdout, stderr] = [new Collected(), new Collected()]
  const code = await runCommandLine(argv, env, { stdout, stderr, stdin: Readable.from([input]) })
  const [out, err] = [stdout.text, stderr.text]
  return {
    code,
    stdout: out,
    stderr: err,
    get json() {
      return JSON.parse(out === '' ? err : out)
    },
  }
}

/** The address of a test's database in the form of DATABASE_URL. */
export function urlOf(connection: pg.ClientConfig): string {
  const { host = '', port = 5432, user = '', password, database = '' } = connection
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(String(password ?? ''))}`
  return host.startsWith('/')
    ? `postgres://${login}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
    : `postgres://${login}@${host}:${port}/${database}`
}

export function environmentOf(connection: pg.ClientConfig): Record<string, string> {
  return { DATABASE_URL: urlOf(connection), SCHOOLGATE_SECRET: SECRET }
}
