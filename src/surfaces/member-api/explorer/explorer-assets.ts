import { readFileSync } from 'node:fs'
import { parse } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { once } from '../../../foundation/cache/lru-cache.ts'
import { sha256 } from '../../../foundation/crypto/digest.ts'
import { PACKAGE_FOLDER } from '../../../foundation/package-folder.ts'

const compress = promisify(gzip)

export interface ExplorerAsset {
  /** Contains a hash of the content, so caches keep it for ever. */
  readonly path: string
  readonly contentType: string
  readonly body: Buffer
  /** Compressed at the first request: GraphiQL is five times as large without. */
  readonly compressed: () => Promise<Buffer>
}

export interface ExplorerAssets {
  readonly scripts: readonly ExplorerAsset[]
  readonly styles: readonly ExplorerAsset[]
}

const folder = new URL('assets/explorer/', PACKAGE_FOLDER)

/** GraphiQL with its libraries, which the build copies into `vendor/`, and the page's own script. */
export const loadExplorerAssets = once(
  (): ExplorerAssets => ({
    scripts: [
      asset('vendor/react.production.min.js'),
      asset('vendor/react-dom.production.min.js'),
      asset('vendor/graphiql.min.js'),
      asset('explorer.js'),
    ],
    styles: [asset('vendor/graphiql.min.css'), asset('explorer.css')],
  }),
)

function asset(file: string): ExplorerAsset {
  const body = readFileSync(new URL(file, folder))
  const { name: stem, ext } = parse(file)
  const extension = ext.slice(1)
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
