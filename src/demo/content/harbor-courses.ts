import type { CourseSketch } from './school-content.ts'

export const harborCourses: readonly CourseSketch[] = [
  {
    slug: 'coastal-navigation',
    title: 'Coastal Navigation',
    summary: 'Find your way along a coast with chart, compass and patience.',
    price: 220,
    taughtBy: ['lecturer-four'],
    sections: [
      {
        title: 'The chart',
        lectures: [
          'Symbols you must know',
          'Scale and distance',
          'Depths and tides',
          'Lights by night',
          'Correcting an old chart',
          'Quiz: read the approach',
        ],
      },
      {
        title: 'The compass',
        lectures: [
          'Three norths',
          'Variation and deviation',
          'Steering a course',
          'Taking a bearing',
          'Swinging the compass',
          'Quiz: true or magnetic',
        ],
      },
      {
        title: 'Where are we?',
        unlockAfterDays: 20,
        lectures: [
          'Dead reckoning',
          'Three-point fixes',
          'Running fixes',
          'Transits',
          'When fixes disagree',
          'Quiz: a foggy morning',
        ],
      },
      {
        title: 'Passage planning',
        unlockInDays: 30,
        lectures: [
          'Reading the almanac',
          'Tidal gates',
          'Ports of refuge',
          'The pilotage sketch',
          'Briefing your crew',
          'Capstone: forty miles',
        ],
      },
    ],
  },
  {
    slug: 'knots-and-splices',
    title: 'Knots and Splices',
    summary: 'Twelve knots that cover a life on the water.',
    price: 60,
    taughtBy: ['lecturer-five'],
    sections: [
      { title: 'Stoppers and bends', lectures: ['Figure eight', 'Sheet bend', 'Zeppelin bend'] },
      { title: 'Hitches', lectures: ['Clove hitch', 'Rolling hitch', 'Anchor hitch'] },
      { title: 'Splices', lectures: ['Eye splice', 'Back splice', 'Quiz: which knot?'] },
    ],
  },
  {
    slug: 'watercolor-landscapes',
    title: 'Watercolors of the Coast',
    summary: 'Surf, cliffs and working boats, painted on site.',
    price: 90,
    taughtBy: ['lecturer-five'],
    sections: [
      { title: 'Sea', lectures: ['The colour of water', 'Breaking surf', 'Reflections'] },
      { title: 'Shore', lectures: ['Wet sand', 'Cliffs', 'A boat on the hard'] },
    ],
  },
  {
    slug: 'one-camera-one-lens',
    title: 'One Camera, One Lens: The Waterfront',
    summary: 'Photograph one pier for a month.',
    price: 75,
    taughtBy: ['lecturer-five'],
    sections: [
      { title: 'Morning', lectures: ['Fog', 'First light', 'People at work'] },
      { title: 'Evening', lectures: ['Long shadows', 'Lamps', 'A final ten'] },
    ],
  },
  {
    slug: 'weather-for-sailors',
    title: 'Weather for Sailors',
    summary: 'Read a sky and a forecast, and know which to believe.',
    price: 110,
    taughtBy: ['lecturer-four'],
    sections: [
      { title: 'The sky', lectures: ['Clouds that warn', 'Wind shifts', 'Sea breezes'] },
      { title: 'The forecast', lectures: ['Isobars', 'Fronts', 'Gale warnings', 'Quiz: stay in?'] },
    ],
  },
  {
    slug: 'study-skills-starter',
    title: 'Learning Ashore',
    summary: 'Free: how to study between two tides.',
    price: 0,
    taughtBy: ['lecturer-four'],
    sections: [{ title: 'Start', lectures: ['A plan for the week', 'Notes in a damp book'] }],
  },
  {
    slug: 'celestial-navigation',
    title: 'Celestial Navigation',
    summary: 'In preparation: sextant, almanac, horizon.',
    price: 260,
    state: 'draft',
    taughtBy: ['lecturer-four'],
    sections: [{ title: 'The noon sight', lectures: ['Holding a sextant', 'Meridian passage'] }],
  },
]
