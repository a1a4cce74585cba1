import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { sha256 } from '../../../foundation/crypto/digest.ts'

const require = createRequire(import.meta.url)
const compress = promisify(gzip)

export interface ExplorerAsset {
  /** Holds a hash of the content: cacheable for ever. */
  readonly path: string
  readonly contentType: string
  readonly body: Buffer
  /** Made when first asked for: GraphiQL is five times as long without. */
  readonly compressed: () => Promise<Buffer>
}

export interface ExplorerAssets {
  readonly scripts: readonly ExplorerAsset[]
  readonly styles: readonly ExplorerAsset[]
}

/** GraphiQL and what it needs, from the packages, and the page's own script, from `assets/`. */
export function loadExplorerAssets(): ExplorerAssets {
  const own = (name: string): string =>
    new URL(`../../../../assets/explorer/${name}`, import.meta.url).pathname
  return {
    scripts: [
      asset(inPackage('react', 'umd/react.production.min.js')),
      asset(inPackage('react-dom', 'umd/react-dom.production.min.js')),
      asset(inPackage('graphiql', 'graphiql.min.js')),
      asset(own('explorer.js')),
    ],
    styles: [asset(inPackage('graphiql', 'graphiql.min.css')), asset(own('explorer.css'))],
  }
}

/** By way of package.json: not every package lets its other files be named. */
function inPackage(name: string, file: string): string {
  return join(dirname(require.resolve(`${name}/package.json`)), file)
}

function asset(file: string): ExplorerAsset {
  const body = readFileSync(file)
  const [, stem = '', extension = ''] = /([^/\\]+)\.(js|css)$/.exec(file) ?? []
  let compressed: Promise<Buffer> | undefined
  return {
    path: `/member/explorer/${stem}.${sha256(body).toString('hex').slice(0, 12)}.${extension}`,
    contentType: extension === 'js' ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8',
    body,
    compressed: () => {
      compressed ??= compress(body)
      return compressed
    },
  }
}
