/** Of a standard normal within ±z: 95 %. */
export const z95 = 1.959963984540054;
