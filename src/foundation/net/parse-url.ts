/**
 * Undefined if the text is no URL. Use it instead of `URL.canParse`, which in Node 20 misreads letters such as ü as
 * soon as it runs in compiled code: the same URL is then first valid, and later not. A text that is no URL costs about
 * ten times as much as a URL, so look at the beginning of the text first where requests send many others.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
