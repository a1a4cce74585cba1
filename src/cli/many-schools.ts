import type { Command } from 'commander'
import { type ListedSchool, listSchools } from '../domain/schools/school-directory.ts'
import { commandText } from '../foundation/text/command-name.ts'
import type { Cli } from './cli.ts'
import { explainError } from './explain-error.ts'
import { CommandError, type Outcome } from './outcome.ts'
import {
  atNamedSchool,
  type NamedSchool,
  namedSchool,
  SCHOOL_ABOUT,
  SCHOOL_OPTION,
  withDatabase,
} from './with-database.ts'

/** One school, or those that a command is about together. */
export interface WhichSchools {
  readonly school?: string | undefined
  readonly all?: boolean | undefined
  readonly where?: readonly string[] | undefined
}

const WHERE: Readonly<Record<string, (school: ListedSchool, wanted: string) => boolean>> = {
  subdomain: ({ subdomain }, wanted) => matches(subdomain, wanted),
  origin: ({ origin }, wanted) => matches(origin, wanted),
  variant: ({ variant }, wanted) => {
    if (wanted === 'newer' || wanted === 'older') return variant === wanted
    throw new CommandError(`"${wanted}" is no variant.`, 'write newer or older', 2)
  },
  'mcp-connections': ({ mcpConnections }, wanted) => isSwitched(mcpConnections, wanted),
  'open-registration': ({ openRegistration }, wanted) => isSwitched(openRegistration, wanted),
  'id-tokens': ({ signsIdTokens }, wanted) => isSwitched(signsIdTokens, wanted),
  suspended: ({ suspendedAt }, wanted) => isSwitched(suspendedAt !== null, wanted),
  'waiting-key': ({ hasWaitingKey }, wanted) => isSwitched(hasWaitingKey, wanted),
}

/** `*` stands for any text. */
function matches(text: string, wanted: string): boolean {
  const parts = wanted.toLowerCase().split('*')
  const [first = '', last = ''] = [parts[0], parts.at(-1)]
  if (parts.length === 1) return text === first
  if (text.length < first.length + last.length) return false
  if (!text.startsWith(first) || !text.endsWith(last)) return false
  let place = first.length
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, place)
    if (found < 0) return false
    place = found + part.length
  }
  return place <= text.length - last.length
}

function isSwitched(value: boolean, wanted: string): boolean {
  if (wanted !== 'on' && wanted !== 'off') {
    throw new CommandError(`"${wanted}" is no switch.`, 'write on or off', 2)
  }
  return value === (wanted === 'on')
}

/** Adds `--all` and `--where`, and `--school` unless the school is an argument. */
export function withManySchools(command: Command, isArgument = false): Command {
  if (!isArgument) command.option(SCHOOL_OPTION, SCHOOL_ABOUT)
  return command
    .option('--all', 'at every school')
    .option(
      '--where <condition>',
      `at the schools for which it is true, such as id-tokens=off or subdomain=north-*; of several, all; one of ${Object.keys(WHERE).join(', ')}`,
      (one: string, before: readonly string[] = []) => [...before, one],
    )
}

/**
 * Does the work at one school, or at each of many: what is refused at one does not stop the others,
 * and is told for each.
 */
export async function atSchools(
  cli: Cli,
  { school, all = false, where = [] }: WhichSchools,
  work: (named: NamedSchool) => Promise<Outcome>,
  /** What to do after it was done at many. */
  next?: string,
): Promise<Outcome> {
  const isMany = all || where.length > 0
  if ((school === undefined) !== isMany) {
    throw new CommandError(
      isMany ? 'One school and several were named.' : 'No school was named.',
      'name one, or use --all or --where',
      2,
    )
  }
  if (school !== undefined) return await atNamedSchool(cli, school, work)
  const conditions = where.map(readCondition)
  return await withDatabase(cli.config(), async ({ db }) => {
    const schools = (await listSchools(db)).filter((one) => conditions.every((is) => is(one)))
    const done: unknown[] = []
    const refused: { school: string; error: string; remedy: string }[] = []
    for (const one of schools) {
      const { subdomain } = one
      try {
        const { data } = await work(namedSchool(db, one))
        done.push({ school: subdomain, ...(data as object) })
      } catch (error) {
        if (!(error instanceof CommandError)) throw interrupted(error, subdomain, done.length, cli)
        if (error.exitCode === 2) throw error
        refused.push({ school: subdomain, error: error.message, remedy: error.remedy })
      }
    }
    if (schools.length === 0) {
      throw new CommandError(
        'No school matches.',
        `${commandText('school list')} shows what there is`,
      )
    }
    const lines = refused.map(({ school, error, remedy }) => `${school}: ${error}\n    → ${remedy}`)
    const sum = `Done at ${done.length} of ${schools.length} schools${refused.length === 0 ? '' : `, refused at ${refused.length}`}.`
    return {
      data: { done, refused },
      text: [...lines, sum, ...(done.length > 0 && next !== undefined ? [next] : [])].join('\n'),
      failed: refused.length > 0,
    }
  })
}

/** What failed was not refused, so the schools after it were not tried. */
function interrupted(error: unknown, school: string, done: number, cli: Cli): CommandError {
  const { error: why } = explainError(error, cli.env)
  return new CommandError(
    `${why}\nIt was done at ${done} schools, in the order of their subdomains, and stopped at ${school}.`,
    'run it again when the cause is gone; what was done is done once more, or told as done',
  )
}

function readCondition(text: string): (school: ListedSchool) => boolean {
  const [, name = '', wanted = ''] = /^([a-z-]+)=(.+)$/.exec(text) ?? []
  const holds = Object.hasOwn(WHERE, name) ? WHERE[name] : undefined
  if (holds !== undefined) return (school) => holds(school, wanted)
  throw new CommandError(
    `"${text}" is no condition.`,
    `write one such as id-tokens=off; there are ${Object.keys(WHERE).join(', ')}`,
    2,
  )
}
