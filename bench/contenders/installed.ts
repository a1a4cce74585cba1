import { spawnSync } from 'node:child_process'
import type { ContenderName } from './contender-names.ts'

interface Program {
  /** Prints the version, and fails where something is missing. */
  readonly ask: readonly [string, ...string[]]
  readonly packages: string
}

const GEMS = '%w[doorkeeper railties activerecord puma pg]'

/** Contenders that npm does not have. They take part where Debian's packages are installed. */
const PROGRAMS: Partial<Record<ContenderName, Program>> = {
  doorkeeper: {
    ask: [
      'ruby',
      '-e',
      `${GEMS}.each { |name| gem name }
       puts %w[doorkeeper railties puma].map { |name| "#{name} #{Gem.loaded_specs[name].version}" }.push("ruby #{RUBY_VERSION}").join(', ')`,
    ],
    packages: 'ruby-doorkeeper ruby-railties ruby-activerecord puma ruby-pg',
  },
  glewlwyd: {
    ask: ['sh', '-c', 'version=$(glewlwyd --version) && echo "glewlwyd $version"'],
    packages: 'glewlwyd',
  },
}

const versions = new Map<ContenderName, string | undefined>()

export function isProgram(name: ContenderName): boolean {
  return PROGRAMS[name] !== undefined
}

/** Of a program that is installed, with what it runs on. */
export function versionOf(name: ContenderName): string | undefined {
  const program = PROGRAMS[name]
  if (program !== undefined && !versions.has(name)) {
    const [command, ...args] = program.ask
    const { status, stdout } = spawnSync(command, args, { encoding: 'utf8' })
    versions.set(name, status === 0 ? stdout.trim() : undefined)
  }
  return versions.get(name)
}

/** Says how to install a program that is missing. */
export function canTakePart(name: ContenderName): boolean {
  const program = PROGRAMS[name]
  if (program === undefined || versionOf(name) !== undefined) return true
  console.error(
    `${name} is left out, because it is not installed: apt-get install ${program.packages}`,
  )
  return false
}
