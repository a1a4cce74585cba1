import { Visitor } from './browser-like.ts'
import type { TestSchool, World } from './world.ts'

/** The blocks of commands in the guide, in their order. */
export async function commandsAt(world: World, at: TestSchool): Promise<string[]> {
  const { body } = await new Visitor(world, at).get('/docs')
  return [...body.matchAll(/<pre[^>]*><code>([^<]+)<\/code>/g)].map(([, text = '']) =>
    text
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  )
}
