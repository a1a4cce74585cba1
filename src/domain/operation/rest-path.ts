/** The root of the REST API on every origin. Tool answers link to it too. */
export const API_ROOT = '/api/v1'

/** The URL of an object. `path` is the `restPath` of its resource or operation. */
export function restUrl(origin: string, path: string, id: string): string {
  return `${origin}${API_ROOT}${path.replace('{id}', id)}`
}

/** The REST path of a resource, or of an operation's answer; throws if there is none. */
export function restPathOf({ restPath }: { readonly restPath?: string | undefined }): string {
  if (restPath === undefined) throw new Error('this resource has no path in the REST API')
  return restPath
}
