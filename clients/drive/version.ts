import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { Trial } from './tried-client.ts'

/** The installed version, or undefined where the package is not installed. */
export function versionOf({ package: wanted }: Trial): string | undefined {
  if (typeof wanted === 'string') {
    const file = new URL(`../node_modules/${wanted}/package.json`, import.meta.url)
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined
  }
  if ('node' in wanted) return `Node ${process.versions.node}`
  const { stdout } = spawnSync('dpkg', ['-s', wanted.debian], { encoding: 'utf8' })
  const isInstalled = stdout?.includes('\nStatus: install ok installed\n')
  return isInstalled ? /^Version: (?:\d+:)?(\S+)$/m.exec(stdout)?.[1] : undefined
}

export function howToInstall({ package: wanted }: Trial): string {
  return typeof wanted === 'object' && 'debian' in wanted
    ? `apt-get install ${wanted.debian}`
    : 'npm --prefix clients ci'
}
