import { z } from 'zod'

/**
 * A backup is gzipped text, one JSON value to a line: the manifest, then for each table its heading,
 * its rows (arrays of texts as PostgreSQL writes them, null for null) and its footing, and a last line that
 * marks the end. So a truncated file is recognised.
 */
export const BACKUP_FORMAT = 1

const manifest = z.object({
  backup: z.literal('schoolgate'),
  format: z.number(),
  version: z.string(),
  migration: z.object({ number: z.number(), name: z.string() }),
  createdAt: z.string(),
})
const heading = z.object({
  table: z.string(),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
})
const footing = z.object({ end: z.string(), rows: z.number() })
const ending = z.object({ complete: z.literal(true), rows: z.number() })

export type Manifest = z.infer<typeof manifest>
export type Heading = z.infer<typeof heading>
export type Footing = z.infer<typeof footing>
export type Ending = z.infer<typeof ending>

export type BackupLine =
  | { readonly kind: 'manifest'; readonly manifest: Manifest }
  | { readonly kind: 'heading'; readonly heading: Heading }
  | { readonly kind: 'row'; readonly values: readonly (string | null)[] }
  | { readonly kind: 'footing'; readonly footing: Footing }
  | { readonly kind: 'ending'; readonly ending: Ending }

/** Undefined if the text is not a line of a backup. */
export function parseLine(text: string): BackupLine | undefined {
  const value = parseJson(text)
  if (isRow(value)) return { kind: 'row', values: value }
  const asManifest = manifest.safeParse(value)
  if (asManifest.success) return { kind: 'manifest', manifest: asManifest.data }
  const asHeading = heading.safeParse(value)
  if (asHeading.success) return { kind: 'heading', heading: asHeading.data }
  const asFooting = footing.safeParse(value)
  if (asFooting.success) return { kind: 'footing', footing: asFooting.data }
  const asEnding = ending.safeParse(value)
  return asEnding.success ? { kind: 'ending', ending: asEnding.data } : undefined
}

function isRow(value: unknown): value is (string | null)[] {
  return Array.isArray(value) && value.every((cell) => cell === null || typeof cell === 'string')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Splits only at line feeds: JSON may contain the other line breaks of Unicode. */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
