import { type Command, InvalidArgumentError } from 'commander'
import { readUsage, type SchoolUsage } from '../../domain/schools/usage.ts'
import type { Db } from '../../foundation/db/database.ts'
import { addHelp, type Cli } from '../cli.ts'
import { type Outcome, table } from '../outcome.ts'
import { withDatabase } from '../with-database.ts'

const SHOWN = 20

export function addUsageCommand(program: Command, cli: Cli): void {
  const usage = program
    .command('usage')
    .description('which schools use most of the server')
    .option('--limit <number>', 'how many schools to show', readLimit, SHOWN)
    .action(cli.act(({ limit }: { readonly limit: number }) => showUsage(cli, limit)))
  addHelp(
    usage,
    'Requests, statements, CPU and bytes of each school in the last hour and day, the one with the most CPU first. Servers write what they counted once a minute, in parts of five minutes. CPU is that of Node; what PostgreSQL spends is seen in the statements. With `--json` all schools are told.',
    'usage --limit 5',
  )
}

function readLimit(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Write a number from 1 to 99999.')
}

async function showUsage(cli: Cli, limit: number): Promise<Outcome> {
  return await withDatabase(cli.config(), async ({ db }) => {
    const [hour, day] = [await usageOf(db, 60), await usageOf(db, 24 * 60)]
    const text = ['Last hour\n', shown(hour, limit), '\nLast 24 hours\n', shown(day, limit)].join(
      '\n',
    )
    return { data: { hour, day }, text }
  })
}

interface Used {
  readonly total: Omit<SchoolUsage, 'school'>
  readonly schools: readonly SchoolUsage[]
}

async function usageOf(db: Db, minutes: number): Promise<Used> {
  const schools = await readUsage(db, minutes)
  const sum = (name: keyof Used['total']) => schools.reduce((all, one) => all + one[name], 0)
  const [requests, statements] = [sum('requests'), sum('statements')]
  const total = { requests, statements, cpuMs: sum('cpuMs'), bytes: sum('bytes') }
  return { total, schools }
}

function shown({ total, schools }: Used, limit: number): string {
  const rowOf = (name: string, one: Used['total']) => [
    name,
    one.requests.toLocaleString('en'),
    one.statements.toLocaleString('en'),
    `${(one.cpuMs / 1000).toFixed(1)} s`,
    share(one.cpuMs, total.cpuMs),
    megabytes(one.bytes),
  ]
  const rows = schools.slice(0, limit).map((one) => rowOf(one.school, one))
  if (schools.length > 1) rows.push(rowOf(`all ${schools.length} schools`, total))
  return table(
    ['school', 'requests', 'statements', 'CPU', 'of all', 'traffic'],
    rows,
    'No request to any school was counted.',
  )
}

const share = (part: number, all: number) => `${all === 0 ? 0 : Math.round((part / all) * 100)} %`

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`
