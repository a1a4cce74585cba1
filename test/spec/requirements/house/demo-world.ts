import { chapter } from '../chapter.ts'

export const demoWorld = [
  chapter('house', 'product decision', {
    'demo.first-start':
      'A server that finds its database empty fills it with the demo world, all of it or nothing.',
    'demo.not-in-production': 'In production, or when switched off, no demo world is made.',
    'demo.schools':
      'demo, harbor and heritage answer at localhost, harbor.localhost and heritage.localhost.',
    'demo.variants':
      'demo signs ID tokens, harbor only publishes its keys, heritage is older and lists neither field.',
    'demo.port-moves': 'Started on another port, the same data moves to that port.',
    'demo.people':
      'owner, admin, ada and ben sign in with the documented password and have their documented roles.',
    'demo.clients': 'Each school has its public, confidential, readonly and writeonly client.',
    'demo.vendors': 'Claude, ChatGPT, Cursor and Visual Studio Code can register.',
    'demo.documents': 'Metadata documents on loopback are permitted there and unreviewed.',
    'demo.ada': 'Ada has rich data of each kind, in all states that the API can show.',
    'demo.deterministic': 'Ids and values are the same each time, dates relative to now.',
    'demo.health': 'Health and readiness answer under any host name.',
  }),
] as const
