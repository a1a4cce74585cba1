import { chapter } from '../chapter.ts'

export const connections = [
  chapter('member-api', 'Member API', {
    'connection.arguments': 'Connections take first and last.',
    'connection.nodes': 'Connections return nodes.',
  }),

  chapter('member-api', 'product decision', {
    'connection.shape': 'A connection offers nodes, edges, pageInfo and totalCount.',
    'connection.cursors': 'after and before take the opaque cursors that edges and pageInfo give.',
    'connection.default-size': 'Without first or last a page has twenty nodes.',
    'connection.maximum': 'A request for more than the largest page gets the largest page.',
    'connection.maximum.elsewhere': 'The usual maximum of a page is a hundred.',
    'connection.stable-order':
      'The order has a unique tiebreak, so pages neither repeat nor skip a row while others write.',
    'connection.null-is-absent': 'An argument that is null counts as left out.',
    'connection.negative': 'A negative first or last is an error.',
    'connection.unknown-cursor': 'An unknown cursor is an error.',
    'connection.last-keeps-order': 'last cuts from the end of the list and keeps its direction.',
  }),
] as const
