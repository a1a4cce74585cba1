import { readFileSync } from 'node:fs'
import { PACKAGE_FOLDER } from './foundation/package-folder.ts'

const manifest: unknown = JSON.parse(readFileSync(new URL('package.json', PACKAGE_FOLDER), 'utf8'))

export const VERSION: string = (manifest as { version: string }).version
