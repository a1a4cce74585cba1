import { chapter } from '../chapter.ts'

export const tools = [
  chapter('oauth', 'product decision', {
    'tool.document.published':
      'A school publishes the metadata document of each tool that it made, as JSON for every origin, with an ETag.',
    'tool.flow.operators':
      'Owners and admins authorize a tool by the address of its document, for the scopes that its maker chose.',
    'tool.never-fetched':
      'A client_id among the addresses of its own tools is looked up by the school and never fetched.',
    'tool.other-school': 'At another school the address of a tool is a document like any other.',
    'tool.advertised':
      'Discovery announces metadata documents while the school has a tool, at once in every process.',
    'tool.deleted.gone':
      'The document of a deleted tool is 404, and every authorization that people gave it ends.',
    'tool.scopes.default':
      'A new tool is offered, or gets, the identity scopes and all read scopes, unless its maker chooses others.',
    'tool.slug.never-again':
      'A school cannot use the slug of a tool that it has or had; other schools can.',
    'tool.input.refused':
      'Wrong slugs, names, redirect URIs and scopes of a tool are refused at their field and change nothing.',
    'tool.managed':
      'Tools are made, listed, narrowed, disabled, enabled and deleted in the admin area and by the command line.',
    'tool.shown-as-own':
      'Consent, connected apps, the list of clients and the audit log name a tool and say that the school made it.',
    'tool.moves-with-origin':
      'If a school changes its origin, its tools get the addresses of the new origin and keep their authorizations; so does the callback of Codex, which is made from the address.',
    'tool.address.own-only':
      'Among the addresses of its tools a school has only tools that it made: if it moves to an origin whose documents it knows as foreign apps, those end.',
  }),
] as const
