import { readdirSync, readFileSync } from 'node:fs'
import { parseSync } from 'vite'

const ROOT = new URL('../../', import.meta.url).pathname

export interface Expression {
  readonly pattern: string
  readonly flags: string
  /** Where it stands. */
  readonly files: readonly string[]
}

export interface FoundExpressions {
  /** By `/pattern/flags`. */
  readonly literals: ReadonlyMap<string, Expression>
  /** Files that make expressions from texts. */
  readonly makers: readonly string[]
}

/** Every regular expression in the source of the product, read once. */
export function findExpressions(): FoundExpressions {
  found ??= readExpressions()
  return found
}

let found: FoundExpressions | undefined

function readExpressions(): FoundExpressions {
  const literals = new Map<string, Expression>()
  const makers = new Set<string>()
  const files = readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
    .map((name) => `src/${name}`)
    .sort()
  for (const file of files) {
    const source = readFileSync(ROOT + file, 'utf8')
    // Parsing takes longer than reading, and most files have none.
    if (!/\/[a-z]*[\s,.;)\]}]|RegExp\(/.test(source)) continue
    visit(parseSync(file, source).program, (node) => {
      const found = literalIn(node)
      if (found !== undefined) addTo(literals, found.pattern, found.flags, file)
      if (makesExpression(node)) makers.add(file)
    })
  }
  return { literals, makers: [...makers] }
}

export function addTo(
  known: Map<string, Expression>,
  pattern: string,
  flags: string,
  file: string,
): void {
  const key = `/${pattern}/${flags}`
  const files = known.get(key)?.files ?? []
  known.set(key, { pattern, flags, files: files.includes(file) ? files : [...files, file] })
}

type Node = Readonly<Record<string, unknown>>

function visit(node: unknown, see: (node: Node) => void): void {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node)) see(node as Node)
  for (const inner of Object.values(node)) visit(inner, see)
}

function literalIn({ type, regex }: Node): { pattern: string; flags: string } | undefined {
  return type === 'Literal' ? (regex as { pattern: string; flags: string } | undefined) : undefined
}

function makesExpression({ type, callee }: Node): boolean {
  if (type !== 'NewExpression' && type !== 'CallExpression') return false
  const { type: kind, name } = callee as Node
  return kind === 'Identifier' && name === 'RegExp'
}
