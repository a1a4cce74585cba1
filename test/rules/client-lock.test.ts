import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Package {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const lock = new URL('../../clients/package-lock.json', import.meta.url)
const packages: Readonly<Record<string, Package>> = JSON.parse(readFileSync(lock, 'utf8')).packages

/** Where Node looks for a package that the one at `from` names, nearest first. */
function placesFor(from: string, name: string): string[] {
  const places = [`${from === '' ? '' : `${from}/`}node_modules/${name}`]
  for (let at = from.lastIndexOf('node_modules/'); at >= 0; ) {
    places.push(`${from.slice(0, at)}node_modules/${name}`)
    at = at === 0 ? -1 : from.lastIndexOf('node_modules/', at - 1)
  }
  return places
}

test('npm ci finds every package of the clients in their lock, those of other platforms too', () => {
  const missing = Object.entries(packages).flatMap(
    ([from, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => !placesFor(from, name).some((place) => place in packages))
        .map((name) => `${from || 'clients'} needs ${name}`),
  )
  expect(missing).toEqual([])
})
