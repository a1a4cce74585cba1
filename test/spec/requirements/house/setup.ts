import { chapter } from '../chapter.ts'

export const setup = [
  chapter('house', 'product decision', {
    'setup.page':
      'A server without a school leads browsers on every host to its first-run page, and programs get 404 with its address.',
    'setup.first-school':
      'The code from the log makes the first school and its owner, who then signs in to the admin area.',
    'setup.tries': 'The code takes five tries in all; then only a new code works.',
    'setup.expires': 'The code works for thirty minutes, by the clock of the database.',
    'setup.one-school':
      'The first-run page makes one school, however many requests arrive at once, and is 404 from then on.',
    'setup.https':
      'The first-run page answers only over https or to a browser on the same machine.',
    'setup.shared': 'All processes on one database share the code; each start replaces it.',
    'setup.demo-on-request':
      'With DATABASE_URL the demo world is made only if SCHOOLGATE_DEMO is on, or by the demo command.',
  }),
] as const
