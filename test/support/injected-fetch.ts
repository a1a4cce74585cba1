import type { World } from './world.ts'

/** A `fetch` for client libraries that calls the server without a network. */
export function injected(world: World): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname, search, host } = new URL(request.url)
    const { statusCode, headers, body } = await world.app.inject({
      method: request.method as 'GET',
      url: pathname + search,
      headers: { ...Object.fromEntries(request.headers), host },
      payload: Buffer.from(await request.arrayBuffer()),
    })
    return new Response(body, { status: statusCode, headers: headers as Record<string, string> })
  }
}
