import { readdirSync, readFileSync } from 'node:fs'
import { sha256 } from '../crypto/digest.ts'
import { PACKAGE_FOLDER } from '../package-folder.ts'

interface Asset {
  contentType: string
  body: Buffer
}

interface Assets {
  /** By URL path. The path contains a hash of the content, so caches keep it for ever. */
  byPath: ReadonlyMap<string, Asset>
  /** By names that never change, because rows of the database refer to them. */
  byStablePath: ReadonlyMap<string, Asset>
  pathOf: ReadonlyMap<string, string>
  /** Browsers ask for it by its name, whatever a page says. */
  favicon: Buffer
}

const contentTypes: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

const folder = new URL('assets/', PACKAGE_FOLDER)

let assets: Assets | undefined

/** The files of `assets/`, read once: they ship with the code and do not change while it runs. */
export function loadAssets(): Assets {
  assets ??= readAssets()
  return assets
}

/** The path of a file of `assets/`, such as `/assets/schoolgate.3f2a91c0b7d4.css`. */
export function assetUrl(name: string): string {
  const path = loadAssets().pathOf.get(name)
  if (path === undefined) throw new Error(`There is no file ${name} in ${folder.pathname}`)
  return path
}

function readAssets(): Assets {
  const byPath = new Map<string, Asset>()
  const pathOf = new Map<string, string>()
  for (const name of readdirSync(folder)) {
    const [, stem, extension] = /^(.+)\.(\w+)$/.exec(name) ?? []
    const contentType = contentTypes[extension ?? '']
    if (contentType === undefined) continue
    const body = readFileSync(new URL(name, folder))
    const path = `/assets/${stem}.${sha256(body).toString('hex').slice(0, 12)}.${extension}`
    byPath.set(path, { contentType, body })
    pathOf.set(name, path)
  }
  const favicon = readFileSync(new URL('favicon.ico', folder))
  return { byPath, byStablePath: readAvatars(), pathOf, favicon }
}

function readAvatars(): ReadonlyMap<string, Asset> {
  const avatars = new URL('avatars/', folder)
  return new Map(
    readdirSync(avatars).map((name) => [
      `/assets/avatars/${name}`,
      { contentType: 'image/svg+xml', body: readFileSync(new URL(name, avatars)) },
    ]),
  )
}
