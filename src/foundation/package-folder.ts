import { existsSync } from 'node:fs'

/**
 * The folder of the package, with `assets` and `migrations`. The sources are in `src` below it, the
 * built program in `dist`.
 */
export const PACKAGE_FOLDER = findUpwards(new URL('./', import.meta.url))

function findUpwards(folder: URL): URL {
  return existsSync(new URL('package.json', folder)) ? folder : findUpwards(new URL('../', folder))
}
