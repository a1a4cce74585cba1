import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Command } from 'commander'
import { filterFields } from '../../domain/bulk/bulk-operations.ts'
import { exportRows } from '../../domain/bulk/export-job.ts'
import { type ExportKind, shapeOf } from '../../domain/bulk/kind.ts'
import { FORMATS, type Format } from '../../domain/bulk/row-reader.ts'
import { EXPORT_KINDS } from '../../domain/catalogue/bulk-kinds.ts'
import { judgeInput, OperationRefused } from '../../domain/operation/refusal.ts'
import { errorCode } from '../../foundation/db/embedded/embedded-postgres-error.ts'
import { atSchool } from '../../foundation/db/school-db.ts'
import { kindList, loadKind, ProgressBar } from '../bulk/describe-kind.ts'
import { addHelp, type Cli } from '../cli.ts'
import { CommandError, type Outcome } from '../outcome.ts'
import { loadSchool, SCHOOL_ABOUT, SCHOOL_OPTION, withDatabase } from '../with-database.ts'

interface ExportOptions {
  readonly school: string
  readonly output?: string
  readonly format?: string
  readonly after?: string
  readonly where: readonly string[]
}

export function addExportCommand(program: Command, cli: Cli): void {
  const command = program
    .command('export <kind>')
    .description('write all objects of one kind into a file, as NDJSON or CSV')
    .requiredOption(SCHOOL_OPTION, SCHOOL_ABOUT)
    .option('-o, --output <file>', 'where to; standard output unless given')
    .option('--format <format>', 'ndjson or csv; as the name of the file ends unless given')
    .option('--after <key>', 'go on behind the row with this key')
    .option('--where <filter=value>', 'only such rows; may be given several times', collect, [])
    .addHelpText('after', `\n${kindList(EXPORT_KINDS)}`)
    .action(cli.act((kind: string, options: ExportOptions) => exportKind(cli, kind, options)))
  addHelp(
    command,
    'Rows come in the order of their key, a page at a time, so that an export of any size needs little memory and blocks no other work. A file gets its name when it is whole. Texts that a spreadsheet would run as a formula get an apostrophe in CSV, which an import takes away again. On standard output only rows are written; the summary goes to standard error. --where takes the filters of the resource’s list, such as state=published or created_after=2027-01-01T00:00:00Z.',
    'export courses --school north --output courses.csv',
  )
}

function collect(given: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, given]
}

export function formatFor(file: string | undefined, asked: string | undefined): Format {
  const format = asked ?? (file?.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson')
  if ((FORMATS as readonly string[]).includes(format)) return format as Format
  throw new CommandError(`There is no format "${format}".`, `choose ${FORMATS.join(' or ')}`, 2)
}

async function exportKind(cli: Cli, name: string, options: ExportOptions): Promise<Outcome> {
  const kind = loadKind(EXPORT_KINDS, name)
  const { output, after } = options
  const format = formatFor(output, options.format)
  const only = parseFilters(kind, options.where)
  return await withDatabase(cli.config(), async ({ db }) => {
    const school = await loadSchool(db, options.school)
    const bar = new ProgressBar(cli.io.stderr, kind.name, cli.json)
    const pages = exportRows(atSchool(db, school.id), school, kind, { format, after, only })
    let rows = 0
    await writeTo(cli, output, async (out) => {
      for await (const page of pages) {
        if (out.destroyed) throw outputClosed()
        if (!out.write(page.text)) await once(out, 'drain')
        rows += page.rows
        bar.show(rows)
      }
    }).finally(() => bar.clear())
    return {
      data: { kind: kind.name, school: school.subdomain, format, rows, output: output ?? null },
      text: `${rows} ${kind.name} of ${school.subdomain} are ${output === undefined ? 'written' : `in ${output}`}.`,
      ...(output === undefined ? { aside: true } : {}),
    }
  }).catch((error) => {
    if (errorCode(error) === 'EPIPE') throw outputClosed()
    if (!(error instanceof OperationRefused)) throw error
    throw new CommandError(
      `--after ${after} is no key of ${kind.name}.`,
      `write ${kind.key.join(',')} of the last row that you have`,
      2,
    )
  })
}

const outputClosed = () =>
  new CommandError(
    'The program that reads the rows closed its end before the last one.',
    'write them into a file with --output',
  )

/** A file appears under its name only when it is whole; half an export could pass for one. */
async function writeTo(
  cli: Cli,
  file: string | undefined,
  work: (out: Writable) => Promise<void>,
): Promise<void> {
  if (file === undefined) return await work(cli.io.stdout)
  const partial = `${file}.partial`
  const handle = await open(partial, 'w', 0o600)
  const out = createWriteStream('', { fd: handle })
  try {
    await work(out)
    out.end()
    await finished(out)
    await rename(partial, file)
  } catch (error) {
    out.destroy()
    await rm(partial, { force: true })
    throw error
  }
}

/** Parses filters such as `state=published` for the list of a kind. */
function parseFilters(
  kind: ExportKind,
  given: readonly string[],
): Readonly<Record<string, unknown>> {
  const fields = filterFields(kind)
  const known = Object.keys(fields).join(', ') || 'none'
  return Object.fromEntries(
    given.map((text) => {
      const [name = '', ...rest] = text.split('=')
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (field === undefined || rest.length === 0) {
        throw new CommandError(
          `--where ${text} names no filter of ${kind.name}.`,
          `write filter=value; there are: ${known}`,
          2,
        )
      }
      const judged = judgeInput(field, valueFrom(shapeOf(field).type, rest.join('=')))
      if (judged.problems === undefined) return [name, judged.data]
      const detail = judged.problems[0]?.detail ?? 'Another value is needed.'
      throw new CommandError(`--where ${text}: ${detail}`, 'correct the value', 2)
    }),
  )
}

function valueFrom(type: string, text: string): unknown {
  if (type === 'boolean') return { true: true, false: false }[text] ?? text
  return type === 'integer' && /^-?\d{1,15}$/.test(text) ? Number(text) : text
}
