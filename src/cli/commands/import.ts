import { open, stat } from 'node:fs/promises'
import type { Command } from 'commander'
import { importObject } from '../../domain/bulk/bulk-operations.ts'
import { DEFAULT_MAX_ERRORS, importRows } from '../../domain/bulk/import-rows.ts'
import type { BulkKind } from '../../domain/bulk/kind.ts'
import { HeadingError } from '../../domain/bulk/row-reader.ts'
import { BULK_KINDS } from '../../domain/catalogue/bulk-kinds.ts'
import type { InputProblem } from '../../domain/operation/refusal.ts'
import { atSchool } from '../../foundation/db/school-db.ts'
import { commandText } from '../../foundation/text/command-name.ts'
import { describeKind, kindAsText, kindList, loadKind, ProgressBar } from '../bulk/describe-kind.ts'
import { addHelp, type Cli, commandLineAt } from '../cli.ts'
import { CommandError, type Outcome } from '../outcome.ts'
import { loadSchool, SCHOOL_ABOUT, withDatabase } from '../with-database.ts'
import { formatFor } from './export.ts'

interface ImportOptions {
  readonly school?: string
  readonly format?: string
  readonly dryRun?: boolean
  readonly fromLine?: string
  readonly maxErrors?: string
  readonly columns?: boolean
}

export function addImportCommand(program: Command, cli: Cli): void {
  const command = program
    .command('import <kind> [file]')
    .description('bring objects of one kind into the state that a file describes')
    .option('--school <school>', SCHOOL_ABOUT)
    .option('--format <format>', 'ndjson or csv; as the name of the file ends unless given')
    .option('--dry-run', 'judge every row and write none')
    .option('--from-line <line>', 'pass over rows on earlier lines')
    .option(
      '--max-errors <rows>',
      'end soon after so many refused rows',
      String(DEFAULT_MAX_ERRORS),
    )
    .option('--columns', 'tell what a file of this kind may have in it, and do nothing')
    .addHelpText('after', `\n${kindList(BULK_KINDS)}`)
    .action(
      cli.act((kind: string, file: string | undefined, options: ImportOptions) =>
        options.columns === true ? columnsOf(kind) : importFile(cli, kind, file, options),
      ),
    )
  addHelp(
    command,
    'A row makes an object or changes the one it names; what it leaves out stays as it is. Rows that cannot be taken are refused with the number of their line, and all others are taken: exit code 1 says that some were refused. Rows are written in batches of a thousand, each whole or not at all. The same file again changes nothing, so an import that was cut off is continued by running it once more. Without a file, or with -, rows are read from standard input.',
    'import courses courses.csv --school north --dry-run',
  )
}

async function columnsOf(name: string): Promise<Outcome> {
  const kind = loadKind(BULK_KINDS, name)
  return { data: describeKind(kind), text: kindAsText(kind) }
}

async function importFile(
  cli: Cli,
  name: string,
  file: string | undefined,
  options: ImportOptions,
): Promise<Outcome> {
  const kind = loadKind(BULK_KINDS, name)
  const format = formatFor(file, options.format)
  const dryRun = options.dryRun === true
  const [fromLine, maxErrors] = [
    wholeNumber('--from-line', options.fromLine),
    wholeNumber('--max-errors', options.maxErrors),
  ]
  const named = options.school
  if (named === undefined) {
    throw new CommandError('No school was named.', 'add --school; --help shows how', 2)
  }
  const bar = new ProgressBar(cli.io.stderr, kind.name, cli.json)
  const source = await openSource(cli, file, bar)
  return await withDatabase(cli.config(), async ({ db }) => {
    const school = await loadSchool(db, named)
    const summary = await importRows(atSchool(db, school.id), commandLineAt(school), kind, source, {
      format,
      dryRun,
      fromLine,
      maxErrors,
      connections: 2,
      onProgress: ({ rows }) => bar.show(rows),
    }).finally(() => bar.clear())
    const data = importObject(kind, dryRun, summary)
    return { data, text: textOf(data), failed: data.failed > 0 || !data.complete }
  }).catch((error) => {
    throw error instanceof HeadingError ? wrongHeading(kind, error) : error
  })
}

function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new CommandError(
    `${option} is no number of that kind.`,
    `write ${option} 100, for example`,
    2,
  )
}

export async function openSource(
  cli: Cli,
  file: string | undefined,
  bar?: ProgressBar,
): Promise<AsyncIterable<Uint8Array>> {
  if (file === undefined || file === '-') return bytesOf(cli.io.stdin ?? process.stdin)
  const found = await stat(file).catch(() => undefined)
  if (found === undefined || found.isDirectory()) {
    throw new CommandError(`There is no file ${file}.`, 'see whether it is spelled right', 2)
  }
  const handle = await open(file).catch(() => {
    throw new CommandError(`${file} cannot be read.`, 'let this user read it', 2)
  })
  const stream = handle.createReadStream()
  return bar === undefined ? stream : watched(stream, found.size, bar)
}

async function* bytesOf(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  for await (const piece of stream) yield typeof piece === 'string' ? Buffer.from(piece) : piece
}

async function* watched(
  stream: AsyncIterable<Uint8Array>,
  size: number,
  bar: ProgressBar,
): AsyncGenerator<Uint8Array> {
  let read = 0
  for await (const piece of stream) {
    read += piece.length
    if (size > 0) bar.reach(read / size)
    yield piece
  }
}

type Imported = ReturnType<typeof importObject>

function textOf(done: Imported): string {
  const refused = done.errors.flatMap(({ line, errors }) =>
    errors.map((error) => `line ${line}: ${toldProblem(error)}`),
  )
  return [
    ...refused,
    `${done.dry_run ? 'A dry run, nothing was written. ' : ''}${done.rows} rows: ${done.created} made, ${done.updated} changed, ${done.unchanged} as they were, ${done.failed} refused.`,
    ...(done.complete
      ? []
      : [
          `It ended early. Correct the file and run it again, or continue with --from-line ${done.next_line}.`,
        ]),
  ].join('\n')
}

export function toldProblem({
  pointer,
  code,
  detail,
}: Omit<InputProblem, 'code'> & { code: string }): string {
  return `${pointer === '' ? '' : `${pointer.slice(1)}: `}${detail} (${code})`
}

function wrongHeading(kind: BulkKind, { problems }: HeadingError): CommandError {
  return new CommandError(
    problems.map((problem) => toldProblem(problem)).join('\n'),
    `nothing was imported; ${commandText(`import ${kind.name} --columns`)} lists the columns`,
  )
}
