import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const CURL = fileURLToPath(new URL('curl.mjs', import.meta.url))

/** What a shell prints; in the background, because the server answers from this process. */
export async function printed(...commands: string[]): Promise<string> {
  const curl = `command -v curl > /dev/null || curl() { '${process.execPath}' '${CURL}' "$@"; }`
  const script = ['set -eu', 'export no_proxy="*"', curl, ...commands].join('\n')
  return (await promisify(execFile)('/bin/sh', ['-c', script])).stdout.trim()
}
