import { parseUrl } from '../../../foundation/net/parse-url.ts'
/** Where a school publishes the metadata documents of its tools. */
export const TOOLS_PATH = '/clients/'

/** The address of a tool's document, which is the client_id of the tool. */
export function toolAddress(origin: string, slug: string): string {
  return `${origin}${TOOLS_PATH}${slug}.json`
}

/**
 * Whether a client_id is an address among the tools of this origin, in any spelling. Such an address is never
 * fetched: the server would call itself.
 */
export function isToolAddress(origin: string, clientId: string): boolean {
  if (!/^https?:/i.test(clientId)) return false
  const url = parseUrl(clientId)
  return url?.origin === origin && decoded(url.pathname).startsWith(TOOLS_PATH)
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
