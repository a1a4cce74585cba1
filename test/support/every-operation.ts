import { readdirSync, readFileSync } from 'node:fs'
import type { Operation } from '../../src/domain/operation/operation.ts'

const domain = new URL('../../src/domain/', import.meta.url)

const domainFiles = (): readonly URL[] =>
  readdirSync(domain, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => new URL(name, domain))

/** Every operation that a file in src/domain exports, whatever the name of the file. */
export async function everyOperation(): Promise<readonly Operation[]> {
  const modules = await Promise.all(domainFiles().map((file) => import(file.href)))
  return modules.flatMap((module) => Object.values(module).filter(isOperation))
}

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'run' in value && 'scopes' in value
}

/** How often a text stands in the files of src/domain. */
export function countInDomain(text: string): number {
  const parts = domainFiles().map((file) => readFileSync(file, 'utf8').split(text).length - 1)
  return parts.reduce((sum, one) => sum + one, 0)
}
