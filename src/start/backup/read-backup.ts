import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { errorCode } from '../../foundation/db/embedded/embedded-postgres-error.ts'
import { StartError } from '../start-error.ts'
import { type Heading, linesOf, type Manifest, parseLine } from './backup-format.ts'

export interface BackupContents {
  readonly manifest: Manifest
  readonly rows: number
  readonly tables: Readonly<Record<string, number>>
}

/** What to do with the parts of a backup, in their order. */
interface BackupReader {
  readonly onManifest?: (manifest: Manifest) => Promise<void>
  readonly onTable?: (heading: Heading) => Promise<void>
  readonly onRow?: (values: readonly (string | null)[]) => Promise<void> | undefined
}

/**
 * Reads a backup to its end, and throws unless it is whole: gzip has a checksum of all bytes, each
 * table says how many rows it has, and so does the last line.
 */
export async function readBackup(file: string, reader: BackupReader = {}): Promise<BackupContents> {
  try {
    return await readParts(file, reader)
  } catch (error) {
    throw explained(error, file)
  }
}

async function readParts(
  file: string,
  { onManifest, onTable, onRow }: BackupReader,
): Promise<BackupContents> {
  const tables: Record<string, number> = {}
  let manifest: Manifest | undefined
  let heading: Heading | undefined
  let complete = false
  let rows = 0
  // The callback prevents an unhandled error event; the loop below throws the same error.
  const text = pipeline(createReadStream(file), createGunzip(), () => {}).setEncoding('utf8')
  for await (const line of linesOf(text)) {
    const parsed = parseLine(line)
    if (parsed === undefined || complete) throw damaged(file)
    if ((manifest === undefined) !== (parsed.kind === 'manifest')) throw damaged(file)
    switch (parsed.kind) {
      case 'manifest':
        manifest = parsed.manifest
        await onManifest?.(manifest)
        break
      case 'heading':
        heading = parsed.heading
        tables[heading.table] = 0
        await onTable?.(heading)
        break
      case 'row': {
        if (parsed.values.length !== heading?.columns.length) throw damaged(file)
        tables[heading.table] = (tables[heading.table] ?? 0) + 1
        rows += 1
        const work = onRow?.(parsed.values)
        if (work !== undefined) await work
        break
      }
      case 'footing':
        if (tables[parsed.footing.end] !== parsed.footing.rows) throw damaged(file)
        break
      case 'ending':
        complete = parsed.ending.rows === rows
    }
  }
  if (!complete || manifest === undefined) throw damaged(file)
  return { manifest, rows, tables }
}

function damaged(file: string): StartError {
  return new StartError(
    `${file} is not a whole Schoolgate backup: it is something else, cut off or damaged.`,
    'use another copy of the backup',
  )
}

function explained(error: unknown, file: string): unknown {
  const code = errorCode(error) ?? ''
  if (code === 'ENOENT') {
    return new StartError(`There is no file ${file}.`, 'see whether the path is right')
  }
  if (code === 'EACCES' || code === 'EISDIR') {
    return new StartError(`${file} cannot be read.`, 'run this as the user that owns the file')
  }
  return code.startsWith('Z_') ? damaged(file) : error
}
