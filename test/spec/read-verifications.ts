import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ESTree, parseSync, Visitor } from 'vite'

/** One `verifies(...)` call of a test file. */
export interface Verification {
  readonly file: string
  readonly line: number
  readonly ids: readonly string[]
  readonly title: string
}

/** The command that runs a test file: files named `*.slow.test.ts` are left out of `npm test`. */
export function commandOf(file: string): 'npm test' | 'npm run test:all' {
  return file.includes('.slow.test.') ? 'npm run test:all' : 'npm test'
}

/** Reads all `verifies(...)` calls of the project's tests, without running them. */
export function readVerifications(root: string): Verification[] {
  return testFiles(root).flatMap((file) =>
    verificationsIn(file, readFileSync(join(root, file), 'utf8')),
  )
}

function testFiles(root: string): string[] {
  return ['src', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
      .filter((path) => /\.test\.tsx?$/.test(path))
      .sort(),
  )
}

export function verificationsIn(file: string, source: string): Verification[] {
  const { program, errors } = parseSync(file, source)
  if (errors[0] !== undefined) throw new Error(`${file} does not parse: ${errors[0].message}`)
  const found: Verification[] = []
  new Visitor({
    CallExpression(call) {
      if (call.callee.type !== 'Identifier' || call.callee.name !== 'verifies') return
      const line = source.slice(0, call.start).split('\n').length
      const ids = literalIds(call.arguments[0])
      const title = literalTitle(call.arguments[1])
      if (ids === undefined || title === undefined) {
        throw new Error(
          `${file}:${line}: the ids and the title of verifies() must be literals, ` +
            'because the ledger reads them from the source. Move the loop around the call.',
        )
      }
      found.push({ file, line, ids, title })
    },
  }).visit(program)
  return found
}

function literalIds(node: ESTree.Node | undefined): string[] | undefined {
  if (node?.type === 'TSAsExpression') return literalIds(node.expression)
  if (node?.type === 'Literal' && typeof node.value === 'string') return [node.value]
  if (node?.type !== 'ArrayExpression') return undefined
  const ids = node.elements.map((element) =>
    element?.type === 'Literal' && typeof element.value === 'string' ? element.value : undefined,
  )
  return ids.every((id) => id !== undefined) ? ids : undefined
}

/** Expressions in a template become an ellipsis: only a running test knows their values. */
function literalTitle(node: ESTree.Node | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type === 'TemplateLiteral') return node.quasis.map((q) => q.value.cooked).join('…')
  if (node?.type === 'BinaryExpression' && node.operator === '+') {
    const left = literalTitle(node.left)
    const right = literalTitle(node.right)
    return left === undefined || right === undefined ? undefined : left + right
  }
  return undefined
}
