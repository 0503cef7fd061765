/** What every fixture below holds, decompressed: 336,000 bytes. */
export const content = Buffer.from('{"id":1,"text":"shelfmark"}\n'.repeat(12_000));

/** `bzip2 -1`: four blocks. */
export const bzip2Packed = Buffer.from(
  [
    'QlpoMTFBWSZTWYrjx4kAtVRZgAAQEAQgECduHEowAPgCmE00BpiFMJpoDTEE1VRkMgMymZQJyUCbFAmSgTYoE8FAn2UCblAmhQJvFAnEoE/FAn',
    '4oE8lAnBQJgoE7lAmJQJyUCYlAmJQJqUCZKBOhQJqUCa5lAmkoE/mKCskymsr4BOmABFvazAAAgIAhAIE7cOJRgAfAFMJpoDTEKYTTQGmIJqqn',
    'qBkDGk5KBOJQJoUCclAmNJQJ5KBPxQJqUCdSgTVKBNygTYoE2lAmhQJvKBMygTwUCZKBOJQJjMoEyUCYlAnJQJ0KBOxQJyUCYKBP5igrJMprOI',
    'HONgAH2IswAAICAIQCBO3DiUYAHwBTCaaA0xCmE00BpiCaqkaGQGZTJQJzKBNigTJQJsUCeJQJ9KBN5QJ1KBNN0oE4KBPxQJ+KBPMoE4KBMFAn',
    'coEwUCclAmCgTBQJqUCZlAmkoE1lAmSgToUCfzFBWSZTWXkijR4AFB7ZgAAQEAQgECduHEowANgFMJpoDTEKYTTQGmIFKqHqGQMaTkQTgQTSoE',
    '5qBNBBPIgn4QTWoE0xUCa1QJuIJtUCbCCexBNxBMiCeKgTIgnAgmRBMiCYEE5EE6CCYEE+1AnUQT+LuSKcKEhtERN5AA==',
  ].join(''),
  'base64',
);

/** `xz -6 --block-size=100000`: four blocks, CRC64. */
export const xzPacked = Buffer.from(
  [
    '/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4YafAHJdAD2IiSaBk1Ox5jXSonxX7+2V4vIcflsvYyH2vMxz2nB7CHjdw0Xa5XcnVrBb/y2Xe1j9R3',
    'DHolynzVoGSr0WUfNnzcUH4eWE1c7aVYKg7PDi5xpwz0xLQzDUX13hgmJJWUJvm+R+iAl8W45C689C+X8AAAAAAMOgDSAKFmvpAgAhARYAAAB0',
    'L+Wj4YafAHJdADoIg0I1skPMqot7KlIDbdLXY6kB3OsHXhNkMTPaz76CB42UAj7NcP06IYmkPTBtx2USfY7EIlRdsgSI87Moc0wJFaVH3daTmw',
    'NKq01nv2wWeoRYt9Ng/uYRzX6Va3m0/MRVnIV/e6eYupFk3UR2SDcAAAAAAAGOEqvIqHZzAgAhARYAAAB0L+Wj4YafAHJdADWIi6CpCYQx+3tZ',
    'oBcHo5yoK+89+dZrLUFbk3R8jfMGFu4MVBUKkpmJKBB++p1wkGTNecxR3FnmJGx43ahKTWw72TbP46FKDUYG1CAmiisHio9dCs72iiLR4bVKut',
    'JTnD33FeqgXubJvupX+rm9Ob4AAAAAAF0r6UUn1jzRAgAhARYAAAB0L+Wj4IyfAGJdABEdCKe8JoVl6wEazNgcPrTSqMT1/YPMxlSVnhv+hZrt',
    '4CbQXysHAYE4QqnL+smVGUdnwgeRklZ6ymr0thCLnCT12tZXikMq2QPklsLooYc9jvM5ZQjKemnIoXVwzBnRTQAAAAAAbcox3oZAI1MABI4BoI',
    '0GjgGgjQaOAaCNBn6gmQIAAAADrbwOp4b2YAYAAAAABFla',
  ].join(''),
  'base64',
);

/** `xz -6 --check=sha256`: one block. */
export const xzSha256Packed = Buffer.from(
  [
    '/Td6WFoAAArh+wyhAgAhARYAAAB0L+Wj5SB/AJNdAD2IiSaBk1Ox5jXSonxX7+2V4vIcflsvYyH2vMxz2nB7CHjdw0Xa5XcnVrBb/y2Xe1j9R3',
    'DHolynzVoGSr0WUfNnzcUH4eWE1c7aVYKg7PDi5xpwz0xLQzDUX13hgmJJWUJvm+R+iAl8W45C6+X3fRDflBARkmfdnf3WJXhZ+AvN/5UoRg+p',
    '/Hze+5owLlZrIUssAAAA77W8rzG6jiFtQUdXJGQvhfbIxhdxWDGycJBqMiuMtP8AAccBgMEUAHhOQqG26d8cAgAAAAAKWVo=',
  ].join(''),
  'base64',
);
